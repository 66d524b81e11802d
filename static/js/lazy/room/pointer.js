/**
 * Sends the position of the teacher's mouse, and draws a mark at this position on the pages that follow. A
 * position is relative to an item of a picture, because the layout of the picture on a phone differs from
 * the layout on a projector.
 */

import { h, useEffect, useState } from "../../../vendor/ui.js";
import { lineAt } from "../../panes/code/code.js";
import { played, state } from "../../state/store.js";
import { isSame } from "./room-state.js";
import { room } from "./room.js";

/** @import {Pointer} from "./room-state.js" */

/** The kinds of items in a picture, smallest first. An item's element has the attribute `data-<kind>`. */
const THINGS = /** @type {const} */ (["cell", "tensor", "node", "storage", "row"]);
/** The mark disappears after the mouse did not move for this time in ms. */
const REST_MS = 6_000;
/** Matches the names of items that the server accepts in a position. */
const NAME = /^[A-Za-z0-9 ._:-]{1,64}$/;

/** Sends the position of the mouse whenever it moves, until the page is closed. */
export function sendPointer() {
  /** @type {Pointer | null} */
  let last = null;
  let rest = 0;
  const send = (/** @type {Pointer | null} */ place) => {
    if (isSame(place, last)) return;
    last = place;
    room.peek()?.leading.note({ pointer: place });
  };
  document.addEventListener(
    "pointermove",
    (event) => {
      if (event.pointerType !== "mouse" || room.peek()?.inStep.isFollowing.peek() !== true) return;
      clearTimeout(rest);
      rest = window.setTimeout(() => send(null), REST_MS);
      send(placeOf(event));
    },
    { passive: true },
  );
  document.documentElement.addEventListener("pointerleave", () => send(null));
}

/**
 * @param {PointerEvent} event
 * @returns {Pointer | null}
 */
function placeOf(event) {
  const target = event.composedPath()[0];
  if (!(target instanceof Element) || played.peek() === null) return null; // a comparison has no position
  const line = lineAt(target);
  if (line !== null) return partOf("code", `line ${line}`, target.closest(".cm-line") ?? target, event);
  const picture = target.closest(".graph-pane .picture, .memory-pane .picture");
  const drawn = picture?.querySelector("svg");
  if (picture === null || drawn === null || drawn === undefined) return null;
  const pane = picture.closest(".graph-pane") === null ? "memory" : "graph";
  const thing = target.closest(THINGS.map((name) => `[data-${name}]`).join(", "));
  const kind = THINGS.find((name) => thing?.hasAttribute(`data-${name}`));
  const on = thing === null || kind === undefined ? "" : nameOf(thing, kind);
  return NAME.test(on) && thing !== null ? partOf(pane, on, thing, event) : partOf(pane, null, drawn, event);
}

/**
 * @param {Element} thing
 * @param {(typeof THINGS)[number]} kind
 */
function nameOf(thing, kind) {
  const id = thing.getAttribute(`data-${kind}`) ?? "";
  if (kind !== "cell") return `${kind} ${id}`;
  const row = thing.closest("[data-storage]")?.getAttribute("data-storage");
  return row === null || row === undefined ? "" : `cell ${row} ${id}`;
}

/**
 * @param {Pointer["pane"]} pane
 * @param {string | null} on
 * @param {Element} thing
 * @param {PointerEvent} event
 * @returns {Pointer}
 */
function partOf(pane, on, thing, { clientX, clientY }) {
  const { left, top, width, height } = thing.getBoundingClientRect();
  const part = (/** @type {number} */ at, /** @type {number} */ size) =>
    size === 0 ? 0 : Math.max(0, Math.min(1, Math.round((100 * at) / size) / 100));
  return { pane, on, x: part(clientX - left, width), y: part(clientY - top, height) };
}

/** The mark of the teacher's mouse, on the pages that follow. */
export function PointedAt() {
  const shown = room.value;
  const place =
    shown !== null && shown.role !== "teacher" && shown.inStep.isFollowing.value
      ? shown.link.state.value.pointer
      : null;
  const [at, setAt] = useState(/** @type {{x: number, y: number} | null} */ (null));
  useEffect(() => {
    if (place === null) return setAt(null);
    let frame = 0;
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setAt(onScreen(place)));
    };
    look();
    addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("resize", look);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
    };
  }, [place, state.value, played.value]);
  return at === null
    ? null
    : h("div", { class: "pointed-at", style: { translate: `${at.x}px ${at.y}px` }, "aria-hidden": "true" });
}

/**
 * The position of the teacher's mouse on this screen; null: the item is not visible here.
 * @param {Pointer} place
 */
function onScreen({ pane, on, x, y }) {
  const host = document.querySelector(pane === "code" ? ".code-pane .editor" : `.${pane}-pane .picture`);
  const thing = host && (on === null ? host.querySelector("svg") : thingIn(host, on));
  if (!host || !thing) return null;
  const [frame, box] = [host.getBoundingClientRect(), thing.getBoundingClientRect()];
  const at = { x: box.left + x * box.width, y: box.top + y * box.height };
  const isInSight = at.x >= frame.left && at.x <= frame.right && at.y >= frame.top && at.y <= frame.bottom;
  return isInSight && box.width > 0 ? at : null;
}

/**
 * @param {Element} host
 * @param {string} on
 * @returns {Element | null}
 */
function thingIn(host, on) {
  const [kind = "", id = "", cell] = on.split(" ");
  if (kind === "line") {
    const lines = [...(host.shadowRoot?.querySelectorAll(".cm-line") ?? [])];
    return lines.find((line) => lineAt(line) === Number(id)) ?? null;
  }
  if (kind === "cell")
    return host.querySelector(`[data-storage="${CSS.escape(id)}"] [data-cell="${CSS.escape(cell ?? "")}"]`);
  return THINGS.some((name) => name === kind)
    ? host.querySelector(`[data-${kind}="${CSS.escape(on.slice(kind.length + 1))}"]`)
    : null;
}
