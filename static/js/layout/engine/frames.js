/** Owns the frames around open groups, and the heights of rows with room for these frames. Pure. */

import { FRAME } from "../union-graph.js";
import { firstWhere } from "../../run/sorted.js";

/** @import {Box, Group} from "../../run/types.d.ts" */
/** @import {Ranked} from "./chains.js" */
/** @import {Part} from "../union-graph.js" */

/** The gap between a frame and the frame above it. */
const EDGE = 10;

/**
 * @typedef {{above: number[], below: number[]}} Framed by row: the number of frames whose upper edge is
 *   directly above the row, and of frames whose lower edge is directly below the row
 */

/**
 * @param {Part[]} parts
 * @param {Pick<Ranked, "ranks" | "count">} ranked
 * @param {Group[]} groups
 * @returns {Framed}
 */
export function framedRows(parts, { ranks, count }, groups) {
  const spans = groups.map(() => ({ low: Infinity, high: -1, above: 1, below: 1 }));
  for (const [number, { around: group }] of parts.entries()) {
    const span = spans[group];
    if (span)
      [span.low, span.high] = [
        Math.min(span.low, ranks[number] ?? 0),
        Math.max(span.high, ranks[number] ?? 0),
      ];
  }
  /** @type {Framed} */
  const framed = { above: new Array(count).fill(0), below: new Array(count).fill(0) };
  for (let group = groups.length - 1; group >= 0; group -= 1) {
    const span = /** @type {{low: number, high: number, above: number, below: number}} */ (spans[group]);
    if (span.high < 0) continue;
    framed.above[span.high] = Math.max(framed.above[span.high] ?? 0, span.above);
    framed.below[span.low] = Math.max(framed.below[span.low] ?? 0, span.below);
    const outer = spans[groups[group]?.parent ?? -1];
    if (outer === undefined) continue;
    if (span.high >= outer.high)
      outer.above = span.high > outer.high ? span.above + 1 : Math.max(outer.above, span.above + 1);
    if (span.low <= outer.low)
      outer.below = span.low < outer.low ? span.below + 1 : Math.max(outer.below, span.below + 1);
    [outer.low, outer.high] = [Math.min(outer.low, span.low), Math.max(outer.high, span.high)];
  }
  return framed;
}

/** @typedef {{tops: number[], bottoms: number[], height: number}} Rows by rank, the lowest first */

/**
 * The rows by rank. A row is as high as its highest part.
 * @param {Part[]} parts
 * @param {Pick<Ranked, "ranks" | "count">} ranked
 * @param {Framed} framed
 * @param {number[]} gaps minimum gap above each
 * @returns {Rows}
 */
export function rowsOf(parts, { ranks, count }, { above, below }, gaps) {
  const heights = new Array(count).fill(0);
  for (const [number, part] of parts.entries())
    heights[ranks[number] ?? 0] = Math.max(heights[ranks[number] ?? 0], part.height);
  /** @type {Rows} */
  const rows = { tops: [], bottoms: [], height: 0 };
  let y = 0;
  for (let rank = count - 1; rank >= 0; rank -= 1) {
    rows.tops[rank] = y;
    y += heights[rank];
    rows.bottoms[rank] = y;
    if (rank > 0)
      y += Math.max(
        gaps[rank - 1] ?? 0,
        (above[rank - 1] ?? 0) * (FRAME.margin + FRAME.title) + footOf(below[rank] ?? 0) + EDGE,
      );
  }
  rows.height = y;
  return rows;
}

/**
 * The height in px below a row for the lower edges of `count` nested frames.
 * @param {number} count
 */
function footOf(count) {
  return count === 0 ? 0 : FRAME.foot + (count - 1) * FRAME.margin;
}

/**
 * The frame around each open group. A group has no frame if the frame would contain a box outside the group.
 * @param {Part[]} parts
 * @param {Box[]} boxes
 * @param {Group[]} groups
 * @returns {Map<number, Box>}
 */
export function framesOf(parts, boxes, groups) {
  const inside = groups.map(() => ({ boxes: /** @type {Box[]} */ ([]), count: 0 }));
  for (const [number, part] of parts.entries())
    inside[part.around]?.boxes.push(/** @type {Box} */ (boxes[number]));
  for (const contents of inside) contents.count = contents.boxes.length;
  const byTop = [...boxes].sort((a, b) => a.y - b.y);
  /** @type {Map<number, Box>} */
  const frames = new Map();
  const { margin, title, foot } = FRAME;
  for (let group = groups.length - 1; group >= 0; group -= 1) {
    const contents = inside[group];
    if (contents === undefined || contents.count === 0) continue;
    const { x, y, width, height } = around(contents.boxes);
    const frame = {
      x: x - margin,
      y: y - margin - title,
      width: width + 2 * margin,
      height: height + margin + title + foot,
    };
    if (countIn(byTop, frame) === contents.count) frames.set(group, frame);
    const outer = inside[groups[group]?.parent ?? -1];
    if (outer === undefined) continue;
    outer.boxes.push({ ...frame, height: frame.height + margin - foot });
    outer.count += contents.count;
  }
  return frames;
}

/**
 * @param {Box[]} boxes
 * @returns {Box}
 */
export function around(boxes) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of boxes) {
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + width), Math.max(bottom, y + height)];
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/**
 * The number of boxes that overlap a given box.
 * @param {Box[]} boxes by their tops
 * @param {Box} box
 */
function countIn(boxes, { x, y, width, height }) {
  const tallest = 600; // no box is higher
  let count = 0;
  for (
    let at = firstWhere(boxes.length, (number) => /** @type {Box} */ (boxes[number]).y >= y - tallest);
    at < boxes.length;
    at += 1
  ) {
    const box = /** @type {Box} */ (boxes[at]);
    if (box.y >= y + height) break;
    if (box.y + box.height > y && box.x < x + width && box.x + box.width > x) count += 1;
  }
  return count;
}
