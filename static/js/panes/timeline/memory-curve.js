/**
 * Owns the memory curve under the timeline: memory usage at each stop, its peak, and the usage at the current
 * step.
 */

import { h } from "../../../vendor/ui.js";
import { bytes } from "../../run/values/format.js";
import { monoWidth } from "../../run/values/text-width.js";
import { curveOf, memoryUsageOf, peakOf } from "../../run/memory-usage.js";
import { say } from "../../state/words.js";

/** @import {Range} from "../../run/stops/stop-index.js" */
/** @import {Index} from "../../run/types.d.ts" */

/** The y coordinates in px between which the curve is drawn in the track. */
export const CURVE = { top: 69, bottom: 91 };

/** @typedef {{index: Index, range: Range, x: (k: number) => number, lastVisible: number}} View */

/**
 * The curve, which does not change from step to step.
 * @param {View} view
 */
export function usageCurve(view) {
  const { index, range, x, lastVisible } = view;
  const usage = memoryUsageOf(index);
  const corners = curveOf(usage, range, x, lastVisible);
  if (corners.length === 0) return null;
  const y = heightOf(view);
  const line = corners.map(([across, value]) => `${across.toFixed(1)},${y(value).toFixed(1)}`).join(" L");
  const [first, last] = [corners[0]?.[0] ?? 0, corners.at(-1)?.[0] ?? 0];
  return h(
    "g",
    { class: x(range.from + 1) - x(range.from) < 1 ? "usage dense" : "usage" },
    h("path", {
      class: "usage-area",
      d: `M${first.toFixed(1)},${CURVE.bottom} L${line} L${last.toFixed(1)},${CURVE.bottom} Z`,
    }),
    h("path", { class: "usage-line", d: `M${line}` }),
    h("path", { class: "usage-ground", d: `M${x(range.from)},${CURVE.bottom + 0.5} H${x(range.to)}` }),
    peak(view, y),
  );
}

/**
 * @param {View} view
 * @returns {(value: number) => number}
 */
function heightOf({ index, lastVisible }) {
  const most = peakOf(index, lastVisible).most;
  return (value) => CURVE.bottom - (most === 0 ? 0 : (value / most) * (CURVE.bottom - CURVE.top));
}

/**
 * The label of the peak, on the side that has space, with its left and right end. Null: the peak is not
 * visible.
 * @param {View} view
 */
function peakLabel({ index, range, x, lastVisible }) {
  const { k, most } = peakOf(index, lastVisible);
  if (most === 0 || k < range.from || k > range.to) return null;
  const text = say("living-most", { bytes: bytes(most), step: k + 1 });
  const width = monoWidth(text, 12);
  const isRight = x(k) + 12 + width < x(range.to);
  const [from, to] = isRight ? [x(k), x(k) + 12 + width] : [x(k) - 12 - width, x(k)];
  return { k, most, text, isRight, from, to };
}

/**
 * The peak with its number and its step.
 * @param {View} view
 * @param {(value: number) => number} y
 */
function peak({ index, range, x, lastVisible }, y) {
  const label = peakLabel({ index, range, x, lastVisible });
  if (label === null) return null;
  const { k, most, text, isRight } = label;
  return h(
    "g",
    { class: "usage-peak" },
    h("path", { d: `M${x(k)},${y(most) + 1} l4.5,-7 h-9 z` }),
    h(
      "text",
      { x: x(k) + (isRight ? 9 : -9), y: CURVE.bottom - 5, "text-anchor": isRight ? "start" : "end" },
      text,
    ),
  );
}

/**
 * The mark of the current step on the curve. Where it overlaps the label of the peak, this label is hidden.
 * @param {View} view
 * @param {number} k
 */
export function usageNow(view, k) {
  const value = memoryUsageOf(view.index).bytes[k] ?? 0;
  const label = peakLabel(view);
  const isOver = label !== null && view.x(k) > label.from && view.x(k) < label.to;
  return h("circle", {
    class: isOver ? "usage-now over-peak" : "usage-now",
    key: "usage-now",
    cx: view.x(k),
    cy: heightOf(view)(value),
    r: 4,
  });
}
