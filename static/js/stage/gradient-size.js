/**
 * Computes the size of the gradients that reach a box of the graph at a step, and the position of the text
 * with this size.
 */

import { grouped } from "../run/grouped.js";
import { largestIn, printedSize } from "../run/values/gradient-sizes.js";
import { perRun } from "../run/per-run.js";
import { monoWidth } from "../run/values/text-width.js";

/** @import {GraphBox, GraphEdge, GraphLayout, State} from "../run/types.d.ts" */

/**
 * Widths in picture units: of the longest text for a size, and of the space for marks around the end of an
 * edge.
 */
const LONGEST = monoWidth("∇ 1.23e-10", 13);
const BESIDE = { left: 12, right: 12, count: 34 };

/** The edges that lead to each box. */
const edgesTo = perRun((/** @type {GraphLayout} */ { edges }) => grouped(edges, ({ to }) => to ?? ""));

/**
 * The largest absolute value in the gradients that reached a box in the current backward, as text. The
 * result is "" if no gradient reached the box, or if the values of the gradients are not recorded.
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {GraphBox} box
 */
export function largestGradient(layout, state, { key }) {
  let largest = -1;
  for (const edge of edgesTo(layout).get(key) ?? []) {
    const flow = edge.merged.length === 0 ? state.arrived(edge.key) : state.arrivedLast(edge.merged);
    if (flow !== undefined) largest = Math.max(largest, largestIn(flow.gradient));
  }
  return largest < 0 ? "" : printedSize(largest);
}

/**
 * The x coordinate of the text with the gradients' size below a box: at the left of the box, or further to
 * the right if edges would cross the text. This coordinate is the same at every step.
 * @param {GraphLayout} layout
 * @param {GraphBox} box
 * @returns {number} x
 */
export function gradientPlace(layout, box) {
  const least = box.x + 4;
  const taken = (edgesTo(layout).get(box.key) ?? [])
    .map(({ points, merged }) => {
      const [x] = /** @type {[number, number]} */ (points.at(-1));
      return { from: x - BESIDE.left, to: x + (merged.length > 1 ? BESIDE.count : BESIDE.right) };
    })
    .sort((one, other) => one.from - other.from);
  let x = least;
  for (const { from, to } of taken) if (from < x + LONGEST) x = Math.max(x, to);
  return x + LONGEST <= box.x + box.width ? x : least;
}
