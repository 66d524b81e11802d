/**
 * Merges adjacent squares of the same grey level in the image of a large tensor into boxes, so that an
 * exported file stays small. Pure.
 */

import { curvesOf } from "./paths.js";

/** @import {Shape} from "../../stage/svg.js" */
/** @import {Place} from "./figures.js" */

/** Two squares at a smaller distance than this, in px, count as adjacent. */
const NEAR = 0.05;

/**
 * @param {Shape} shape a path of squares of one level, row by row
 * @returns {Place[]}
 */
export function runsOf({ attributes }) {
  /** @type {Place[]} */
  const runs = [];
  for (const points of curvesOf(String(attributes.d))) {
    const [[x, y] = [0, 0]] = points;
    const side = Math.max(...points.map((point) => point[0])) - x;
    const before = runs.at(-1);
    const isNext = before && Math.abs(before.y - y) < NEAR && Math.abs(before.x + before.width - x) < NEAR;
    if (isNext) before.width += side;
    else runs.push({ x, y, width: side, height: side });
  }
  return runs;
}
