/**
 * Owns the x coordinates of boxes, and of the points at which edges pass rows, in the layered layout. Pure.
 */

import { placesOnLine } from "./network-simplex.js";
import { FRAME } from "../union-graph.js";

/** @import {Group, Measures} from "../../run/types.d.ts" */
/** @import {Part} from "../union-graph.js" */
/** @import {Layers} from "./layered.js" */
/** @import {Distance} from "./network-simplex.js" */
/** @import {Nest} from "./ordering.js" */

/** @typedef {{rows: number[][], nest: Nest, groups: Group[]}} Ordered */

/** Pixels per inch. The gap between boxes in Measures is in inches. */
const INCH = 72;
/** The gap between a box and an edge that passes it. */
const PASS_GAP = 14;
/**
 * How strongly a section of an edge is kept vertical: the edge between two boxes in adjacent rows, then the
 * first and last section of an edge that passes rows, then its inner sections.
 */
const STRAIGHT = [1, 2, 8];
/** The factor by which the edges that begin the longest path from a box are kept vertical more strongly. */
const MAIN = 4;
/** How strongly each frame and the whole picture are kept narrow. */
const NARROW = 1;

/**
 * The x coordinate of each point. A point is a box, or the place at which an edge passes a row.
 * @param {Part[]} parts
 * @param {Layers} layers
 * @param {Ordered} ordered
 * @param {Measures} measures
 * @param {Set<number>} main
 * @returns {number[]}
 */
export function columnsOf(parts, layers, ordered, measures, main) {
  const { widths, ways } = layers;
  const isPart = (/** @type {number} */ point) => point < parts.length;
  const distances = apartOf(parts, layers, ordered, measures.box.across * INCH);
  let count = widths.length + 2 * (ordered.groups.length + 1);
  for (const [number, way] of ways.entries()) {
    for (const [at, upper] of way.slice(1).entries()) {
      const lower = /** @type {number} */ (way[at]);
      const passes = Number(!isPart(lower)) + Number(!isPart(upper));
      const weight = (STRAIGHT[passes] ?? 1) * (main.has(number) ? MAIN : 1);
      distances.push(
        { from: count, to: lower, least: 0, weight },
        { from: count, to: upper, least: 0, weight },
      );
      count += 1;
    }
  }
  const xs = placesOnLine(count, distances, true).slice(0, widths.length);
  const left = xs.reduce((least, x, point) => Math.min(least, x - (widths[point] ?? 0) / 2), Infinity);
  return xs.map((x) => x - left);
}

/**
 * The minimum distances between neighbours in a row, and from boxes to the sides of frames and of the whole
 * picture. Each side is an additional point, with a number after those of all other points.
 * @param {Part[]} parts
 * @param {Layers} layers
 * @param {Ordered} ordered
 * @param {number} across
 */
function apartOf(parts, { widths }, { rows, nest, groups }, across) {
  const side = (/** @type {number} */ group, /** @type {0 | 1} */ isRight) =>
    widths.length + 2 * group + isRight;
  const half = (/** @type {number} */ point) => (widths[point] ?? 0) / 2;
  const isPart = (/** @type {number} */ point) => point < parts.length;
  const whole = groups.length;
  const distances = sideDistances(groups, side);
  const put = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ least) =>
    distances.push({ from, to, least: Math.ceil(least), weight: 0 });
  for (const row of rows) {
    for (let at = 0; at <= row.length; at += 1) {
      const [left, right] = [row[at - 1], row[at]];
      const [leftLevels, rightLevels] = [nest[left ?? -1] ?? [], nest[right ?? -1] ?? []];
      let level = 0;
      while (level < leftLevels.length && leftLevels[level] === rightLevels[level]) level += 1;
      const [outer, inner] = [leftLevels[level], rightLevels[level]];
      // Frames that contain only one of the two points have a side between them: the innermost frame's side
      // is next to the contained point, the outermost frame's side next to the other point.
      let [from, to, least] = [left ?? side(whole, 0), right ?? side(whole, 1), 0];
      if (left !== undefined && right !== undefined)
        least += isPart(left) && isPart(right) ? across : PASS_GAP;
      if (outer === undefined) least += half(left ?? -1);
      else {
        put(from, side(leftLevels.at(-1) ?? 0, 1), half(from) + FRAME.margin);
        from = side(outer, 1);
      }
      if (inner === undefined) least += half(right ?? -1);
      else {
        put(side(rightLevels.at(-1) ?? 0, 0), to, half(to) + FRAME.margin);
        to = side(inner, 0);
      }
      put(from, to, least);
    }
  }
  return distances;
}

/**
 * The distances that keep each frame inside its parent's frame, and that keep frames and the picture narrow.
 * @param {Group[]} groups
 * @param {(group: number, isRight: 0 | 1) => number} side
 * @returns {Distance[]}
 */
function sideDistances(groups, side) {
  const between = (/** @type {number} */ group) => ({
    ...{ from: side(group, 0), to: side(group, 1) },
    ...{ least: 0, weight: NARROW },
  });
  const frames = groups.flatMap(({ parent }, group) => {
    const sides = between(group);
    if (parent < 0) return [sides];
    return [
      sides,
      { from: side(parent, 0), to: side(group, 0), least: FRAME.margin, weight: 0 },
      { from: side(group, 1), to: side(parent, 1), least: FRAME.margin, weight: 0 },
    ];
  });
  return [...frames, between(groups.length)];
}
