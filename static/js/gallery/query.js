/**
 * Owns the search query of the gallery, and its keys: `/` focuses the search field, and the arrow keys move
 * the focus between lessons.
 */

import { effect, signal } from "../../vendor/ui.js";
import { hasCharacterKeys } from "../state/preferences.js";
import { flush, flushWhenLeft, replace } from "../session/address-bar.js";

/** The search query. The address contains it, too, so that it survives a reload. */
export const query = signal(new URLSearchParams(location.search).get("q") ?? "");

export function keepQueryInAddress() {
  flushWhenLeft();
  effect(() => {
    const address =
      query.value === ""
        ? location.pathname
        : `${location.pathname}?${new URLSearchParams({ q: query.value })}`;
    replace(address + (query.value === "" ? location.hash : ""));
  });
}

/** Adds the listeners for the gallery's keys, which are never removed. */
export function listen() {
  document.addEventListener("click", flush);
  window.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const field = /** @type {HTMLInputElement | null} */ (document.getElementById("search"));
    const isSearching = document.activeElement === field;
    if (event.key === "/" && !isSearching && hasCharacterKeys.peek()) act(event, () => field?.select());
    else if (event.key === "Escape" && query.peek() !== "") act(event, () => clear(field));
    else if (event.key === "Enter" && isSearching && query.peek() !== "")
      act(event, () => links()[0]?.click());
    else if (event.key === "ArrowDown" || event.key === "ArrowUp")
      moveBetweenLinks(event, field, event.key === "ArrowDown" ? 1 : -1);
  });
}

function links() {
  return /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".card-link")]);
}

/**
 * Moves the focus to the next or previous lesson, and from the first lesson up to the search. If the focus
 * is at neither of them, does nothing, so that the arrow keys scroll the page.
 * @param {KeyboardEvent} event
 * @param {HTMLElement | null} field
 * @param {1 | -1} direction
 */
function moveBetweenLinks(event, field, direction) {
  const all = links();
  const place = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (place < 0 && (document.activeElement !== field || direction < 0)) return;
  const next = place < 0 ? all[0] : place === 0 && direction < 0 ? field : all[place + direction];
  act(event, () => next?.focus());
}

/**
 * @param {KeyboardEvent} event
 * @param {() => unknown} what
 */
function act(event, what) {
  event.preventDefault();
  what();
}

/**
 * Clears the query, which shows all lessons.
 * @param {HTMLInputElement | null} field
 */
function clear(field) {
  query.value = "";
  field?.focus();
}
