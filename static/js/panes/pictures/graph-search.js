/** Owns selecting a Node by arrow keys, click or search. Screen readers announce the box at the cursor. */

import { h, useEffect, useLayoutEffect, useRef, useState } from "../../../vendor/ui.js";
import { button, iconButton } from "../buttons.js";
import { toggleFold } from "../../state/folds.js";
import {
  foundAtStop,
  foundCount,
  foundNumber,
  isDetailed,
  moveCursorTo,
  moveCursorToFound,
  moveCursorToKey,
  moveCursor,
  cursorBox,
  searchText,
  toggleFoldAtCursor,
} from "../../state/graph-cursor.js";
import { selected } from "../../state/selection.js";
import { say, tell } from "../../state/words.js";
import { Icon } from "../icons.js";
import { List, outline } from "../story/text-view.js";
import { everName } from "../../run/naming/naming.js";
import { plain } from "../rich.js";
import { zoomByKey } from "./graph-zoom.js";

/** @import {Item} from "../chunks.js" */
/** @import {Played} from "../../state/store.js" */
/** @import {Index, State} from "../../run/types.d.ts" */
/** @import {Direction} from "../../layout/graph-navigation.js" */
/** @import {Fit} from "./graph-zoom.js" */

/** @type {Record<string, Direction>} */
const ARROWS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

/**
 * Handles the keys while the graph has the focus. If no box is at the keyboard cursor, the left and right
 * arrow keys change the step as elsewhere.
 * @param {KeyboardEvent} event
 * @param {Fit} fit
 */
export function graphByKey(event, fit) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const box = cursorBox.peek();
  const key = event.shiftKey ? "" : event.key;
  const arrow = ARROWS[key];
  if (arrow !== undefined && (box !== null || arrow === "up" || arrow === "down")) moveCursor(arrow);
  else if (key === "Enter" && box?.fold != null) toggleFoldAtCursor();
  else if (key === "Enter" && box !== null) isDetailed.value = !isDetailed.peek();
  else if (key === "e" && box !== null) toggleFoldAtCursor();
  else if (key === "Escape" && box !== null) moveCursorTo(null);
  else return zoomByKey(event, fit);
  event.preventDefault();
}

/**
 * A click on a sign folds or unfolds its group. A click on a box moves the cursor to the box.
 * @param {MouseEvent} event
 */
export function graphByPointer(event) {
  const target =
    event.target instanceof Element ? event.target.closest("[data-name], [data-fold], [data-box]") : null;
  if (target?.hasAttribute("data-name")) return; // another listener selects the clicked name
  if (!(target instanceof SVGElement)) return moveCursorTo(null);
  const { fold, box } = target.dataset;
  if (fold !== undefined) void toggleFold(fold);
  else if (box !== undefined) {
    moveCursorToKey(box);
    isDetailed.value = true;
  }
}

/**
 * The description of the box at the cursor, for screen readers, and on a card if the visitor opened the
 * card.
 * @param {{run: Played, now: State}} props
 */
export function NodeAtCursor({ run, now }) {
  const box = cursorBox.value;
  const item = box === null ? null : (outline.value?.boxItem(run.index, run.graph, now, box) ?? null);
  const card = useRef(/** @type {HTMLDivElement | null} */ (null));
  usePlaceBeside(card, box?.key);
  const whole = useWholeTexts(run.index, box?.key);
  useEffect(() => {
    if (selected.value !== null) close();
  }, [selected.value]);
  return [
    h("p", { key: "said", class: "visually-hidden", role: "status" }, item === null ? "" : itemText(item)),
    item !== null && isDetailed.value
      ? h(
          "div",
          { key: "card", class: "node-card outline", ref: card },
          button(
            { class: "button icon-only", "aria-label": say("close"), onClick: close },
            h(Icon, { name: "cross", size: 14 }),
          ),
          h(List, { items: [item] }),
        )
      : item !== null && whole.length > 0
        ? h(
            "div",
            { key: "whole", class: "node-card whole", "aria-hidden": "true" },
            whole.map((text) => h("p", { key: text }, text || nameIn(item))),
          )
        : null,
  ];
}

/**
 * The name of a Node: the first sentence of its item in the text view.
 * @param {Item} item
 */
function nameIn({ parts: [first] }) {
  return first === undefined ? "" : plain(tell(first));
}

/**
 * The full texts of those texts that are shortened in the box at the keyboard cursor, and of the box's
 * title.
 * @param {Index} index
 * @param {string | undefined} key
 */
function useWholeTexts(index, key) {
  const [whole, setWhole] = useState(/** @type {string[]} */ ([]));
  useEffect(() => {
    const box =
      key === undefined ? null : document.querySelector(`.graph-pane [data-box="${CSS.escape(key)}"]`);
    const told = [...(box?.querySelectorAll("text") ?? [])].flatMap((text) => {
      const pocket = /** @type {SVGElement | null} */ (text.closest("[data-saved]"));
      const saved = index.saved_tensors[Number(pocket?.dataset.saved ?? -1)];
      const name = saved && everName(index, saved.tensor);
      const all = name === undefined ? "" : `${saved?.name} = ${name}`;
      const shown = text.textContent ?? "";
      const isShort = shown.includes("…") || (shown.includes(" = ") && !shown.startsWith(all));
      return isShort ? [all] : [];
    });
    setWhole([...new Set(told)]);
  }, [key]);
  return whole;
}

function close() {
  isDetailed.value = false;
}

/** The distance in px between the card and its Node's box, and between the card and the edge of the pane. */
const SPARE = 8;
/**
 * The minimum height of a card in px. If there is less space above and below a Node's box, the card covers
 * part of the box.
 */
const LEAST = 72;

/**
 * Places the card above or below its Node's box, where there is more space, and limits the card's height to
 * this space. The card follows the scrolling of the picture.
 * @param {{current: HTMLDivElement | null}} card
 * @param {string | undefined} key of the box
 */
function usePlaceBeside(card, key) {
  useLayoutEffect(() => {
    const picture = card.current?.parentElement?.querySelector(".picture");
    if (picture == null || key === undefined) return undefined;
    const place = () => placeBeside(card.current, picture, key);
    place();
    picture.addEventListener("scroll", place);
    return () => picture.removeEventListener("scroll", place);
  });
}

/**
 * @param {HTMLDivElement | null} card
 * @param {Element} picture
 * @param {string} key
 */
function placeBeside(card, picture, key) {
  const node = picture.querySelector(`[data-box="${CSS.escape(key)}"]`);
  if (card === null || node === null) return;
  const [frame, box] = [picture.getBoundingClientRect(), node.getBoundingClientRect()];
  const search = card.parentElement?.querySelector(".graph-search")?.getBoundingClientRect();
  const top = Math.max(frame.top, search?.bottom ?? 0);
  const [above, below] = [box.top - top, frame.bottom - box.bottom];
  card.classList.toggle("above", above > below);
  card.style.setProperty(
    "--top",
    `${top - (card.parentElement?.getBoundingClientRect().top ?? 0) + SPARE}px`,
  );
  card.style.setProperty("--room", `${Math.max(LEAST, Math.max(above, below) - 2 * SPARE)}px`);
}

/**
 * @param {Item} item
 * @returns {string}
 */
export function itemText({ parts, children }) {
  return [...parts.map((part) => plain(tell(part))), ...children.map(itemText)].join(" ");
}

/** The button that opens the search. */
export function SearchButton() {
  const isOpen = searchText.value !== null;
  return iconButton("search", say("search-open"), {
    class: "button icon-only search-button",
    "aria-expanded": isOpen ? "true" : "false",
    onClick: () => (searchText.value = isOpen ? null : ""),
  });
}

/** The search field, and the buttons from one result to the next. */
export function SearchBar() {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const text = searchText.value;
  // A layout effect, so that the search field has the focus before the next key.
  useLayoutEffect(() => input.current?.focus(), [text === null]);
  if (text === null) return null;
  const close = () => {
    const pane = input.current?.closest(".picture-pane");
    searchText.value = null;
    /** @type {HTMLElement | null} */ (pane?.querySelector(".picture"))?.focus();
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter") void moveCursorToFound(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const count = foundCount.value;
  const stop = foundAtStop.value;
  const button = (
    /** @type {string} */ id,
    /** @type {string} */ icon,
    /** @type {() => void} */ act,
    isOff = false,
  ) => iconButton(icon, say(id), { disabled: isOff, onClick: act });
  return h(
    "div",
    { class: "graph-search", role: "search" },
    h("input", {
      ref: input,
      type: "search",
      value: text,
      placeholder: say("search-hint"),
      "aria-label": say("search-open"),
      spellcheck: false,
      autocomplete: "off",
      onInput: (/** @type {{currentTarget: HTMLInputElement}} */ event) =>
        (searchText.value = event.currentTarget.value),
      onKeyDown,
    }),
    h(
      "span",
      { class: "search-count", role: "status" },
      text.trim() === ""
        ? ""
        : stop !== null
          ? say("search-at-step", { step: stop + 1 })
          : say("search-count", { place: foundNumber.value + 1, count }),
    ),
    button("search-previous", "raise", () => void moveCursorToFound(-1), count === 0 && stop === null),
    button("search-next", "lower", () => void moveCursorToFound(1), count === 0 && stop === null),
    button("search-close", "cross", close),
  );
}
