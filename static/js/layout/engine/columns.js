/** Owns where the points of the layered layout are from left to right. Pure. */

import { placesOnLine } from "./network-simplex.js";
import { FRAME } from "../union-graph.js";

/** @import {Group, Measures} from "../../run/types.d.ts" */
/** @import {Part} from "../union-graph.js" */
/** @import {Layers} from "./layered.js" */
/** @import {Distance} from "./network-simplex.js" */
/** @import {Nest} from "./ordering.js" */

/** @typedef {{rows: number[][], nest: Nest, groups: Group[]}} Ordered */

/** Pixels of an inch, in which Measures has the gap between boxes. */
const INCH = 72;
/** Between a box and an edge that passes it. */
const PASS_GAP = 14;
/** How straight an edge is drawn: between boxes, at the end of one that passes rows, within it. */
const STRAIGHT = [1, 2, 8];
/** The same for the edge to what leads farthest. */
const MAIN = 4;

/**
 * The x of each point.
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
  let count = widths.length + 2 * ordered.groups.length;
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
 * How far neighbours are apart, and the sides of frames, which are points after all others.
 * @param {Part[]} parts
 * @param {Layers} layers
 * @param {Ordered} ordered
 * @param {number} across
 */
function apartOf(parts, { widths }, { rows, nest, groups }, across) {
  const side = (/** @type {number} */ group, /** @type {0 | 1} */ isRight) =>
    widths.length + 2 * group + isRight;
  const half = (/** @type {number} */ point) => (widths[point] ?? 0) / 2;
  /** @type {Distance[]} */
  const distances = groups.flatMap(({ parent }, group) => [
    { from: side(group, 0), to: side(group, 1), least: 0, weight: 1 },
    ...(parent < 0
      ? []
      : [
          { from: side(parent, 0), to: side(group, 0), least: FRAME.margin, weight: 0 },
          { from: side(group, 1), to: side(parent, 1), least: FRAME.margin, weight: 0 },
        ]),
  ]);
  for (const row of rows) {
    for (let at = 0; at <= row.length; at += 1) {
      const [left, right] = [row[at - 1], row[at]];
      const [leftLevels, rightLevels] = [
        left === undefined ? [] : (nest[left] ?? []),
        right === undefined ? [] : (nest[right] ?? []),
      ];
      let level = 0;
      while (level < leftLevels.length && leftLevels[level] === rightLevels[level]) level += 1;
      const [closed, opened] = [leftLevels.at(-1), rightLevels.at(-1)];
      if (left !== undefined && closed !== undefined && leftLevels.length > level)
        distances.push({
          from: left,
          to: side(closed, 1),
          least: Math.ceil(half(left) + FRAME.margin),
          weight: 0,
        });
      if (right !== undefined && opened !== undefined && rightLevels.length > level)
        distances.push({
          from: side(opened, 0),
          to: right,
          least: Math.ceil(half(right) + FRAME.margin),
          weight: 0,
        });
      if (left === undefined || right === undefined) continue;
      const gap = left < parts.length && right < parts.length ? across : PASS_GAP;
      const [outer, inner] = [leftLevels[level], rightLevels[level]];
      distances.push({
        from: outer === undefined ? left : side(outer, 1),
        to: inner === undefined ? right : side(inner, 0),
        least: Math.ceil(
          gap + (outer === undefined ? half(left) : 0) + (inner === undefined ? half(right) : 0),
        ),
        weight: 0,
      });
    }
  }
  return distances;
}
