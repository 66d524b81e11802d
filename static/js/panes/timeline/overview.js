/**
 * Owns the bar under a long run's timeline: the whole run, and the visible range, which can be dragged,
 * resized or drawn again.
 */

import { h, useRef } from "../../../vendor/ui.js";
import { moveBy, zoomTo } from "../../state/timeline-range.js";

/** @import {Range} from "../../run/stops/stop-index.js" */

/**
 * Distances in px: how close to an edge of the visible range a press must be to drag the edge, and how far
 * the pointer must move to draw a new range.
 */
const EDGE = 7;
const LEAST = 4;

/**
 * @param {{
 *   left: number,
 *   width: number,
 *   y: number,
 *   count: number,
 *   range: Range,
 *   k: number,
 *   isZoomed: boolean,
 * }} props in the track's pixels
 */
export function Overview({ left, width, y, count, range, k, isZoomed }) {
  const drag = useRef(/** @type {Drag | null} */ (null));
  const last = Math.max(1, count - 1);
  const x = (/** @type {number} */ at) => left + (at / last) * width;
  const stopAt = (/** @type {PointerEvent} */ event) =>
    ((event.clientX - originOf(event) - left) / width) * last;
  const onPointerDown = (/** @type {PointerEvent} */ event) => {
    /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
    const near = (EDGE / width) * last;
    drag.current = begun(stopAt(event), range, isZoomed, near);
  };
  const onPointerMove = (/** @type {PointerEvent} */ event) => {
    const dragged = drag.current;
    if (dragged === null) return;
    const at = stopAt(event);
    if (dragged.kind === "move") moveBy(Math.round(at - dragged.at) - (range.from - dragged.from));
    else if (Math.abs(at - dragged.at) > (LEAST / width) * last || dragged.kind === "edge")
      zoomTo(dragged.fixed, Math.max(0, Math.min(last, at)));
  };
  const onPointerUp = () => (drag.current = null);
  const [from, to] = [x(range.from), x(range.to)];
  return h(
    "g",
    {
      class: `overview${isZoomed ? " zoomed" : ""}`,
      onPointerDown,
      onPointerMove,
      onPointerUp,
      onPointerCancel: onPointerUp,
    },
    h("rect", { class: "overview-hit", x: left - 8, y: y - 5, width: width + 16, height: 16 }),
    h("rect", { class: "overview-run", x: left, y, width, height: 6, rx: 3 }),
    h("rect", {
      class: "overview-part",
      x: Math.min(from, left + width - 8),
      y,
      width: Math.max(8, to - from),
      height: 6,
      rx: 3,
    }),
    h("path", { class: "overview-now", d: `M${x(k)},${y - 3} v12` }),
  );
}

/**
 * @typedef {(
 *   | {kind: "move", at: number, from: number}
 *   | {kind: "edge" | "draw", at: number, fixed: number}
 * )} Drag
 */

/**
 * @param {number} at
 * @param {Range} range
 * @param {boolean} isZoomed
 * @param {number} near
 * @returns {Drag}
 */
function begun(at, { from, to }, isZoomed, near) {
  if (isZoomed && Math.abs(at - from) < near) return { kind: "edge", at, fixed: to };
  if (isZoomed && Math.abs(at - to) < near) return { kind: "edge", at, fixed: from };
  if (isZoomed && from < at && at < to) return { kind: "move", at, from };
  return { kind: "draw", at, fixed: at };
}

/** @param {PointerEvent} event */
function originOf(event) {
  return /** @type {SVGElement} */ (event.currentTarget).ownerSVGElement?.getBoundingClientRect().left ?? 0;
}
