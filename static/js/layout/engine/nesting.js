/** Finds the groups that surround each box, and each point at which an edge passes a row. Pure. */

/** @import {Group} from "../../run/types.d.ts" */
/** @import {Part} from "../union-graph.js" */
/** @import {Layers} from "./layered.js" */
/** @import {Nest} from "./ordering.js" */

/** @typedef {(group: number) => number[]} PathOf a group and those around it, the outermost first */

/**
 * Returns a function that gives a group's path, which is computed at most once per group.
 * @param {Group[]} groups
 * @returns {PathOf}
 */
export function pathsOf(groups) {
  /** @type {Map<number, number[]>} */
  const paths = new Map();
  return (group) => {
    const known = paths.get(group);
    if (known) return known;
    const path = [];
    for (let around = group; around >= 0; around = groups[around]?.parent ?? -1) path.push(around);
    path.reverse();
    paths.set(group, path);
    return path;
  };
}

/**
 * Returns a function that gives the outermost group around a group; -1 if the given group is -1.
 * @param {Group[]} groups
 */
export function outermostOf(groups) {
  const pathOf = pathsOf(groups);
  return (/** @type {number} */ group) => pathOf(group)[0] ?? -1;
}

/**
 * The groups that surround the given boxes, without the first `level` levels, renumbered from 0. `numbers`
 * has the old number of each group.
 * @param {Part[]} given
 * @param {Group[]} all
 * @param {PathOf} pathOf
 * @param {number} level
 */
export function groupsAround(given, all, pathOf, level) {
  const isHere = new Set(given.flatMap(({ around }) => pathOf(around).slice(level)));
  const numbers = [...isHere].sort((a, b) => a - b);
  const anew = new Map(numbers.map((number, at) => [number, at]));
  const groups = numbers.map((number) => {
    const group = /** @type {Group} */ (all[number]);
    return { ...group, parent: anew.get(group.parent) ?? -1 };
  });
  const parts = given.map((part) => ({ ...part, around: anew.get(part.around) ?? -1 }));
  return { parts, groups, numbers };
}

/**
 * The groups that surround each point, in two variants if these differ. In the first variant, an edge out of
 * a group crosses all rows of the group and leaves through the frame's top or bottom. In the second variant,
 * the edge leaves at once through the frame's side, which may cause fewer crossings.
 * @param {Part[]} parts
 * @param {[number, number][]} edges
 * @param {Layers} layers
 * @param {Group[]} groups
 * @returns {Nest[]}
 */
export function nestsOf(parts, edges, { ways, rowOf }, groups) {
  const pathOf = pathsOf(groups);
  const through = rowOf.map((_, point) => pathOf(parts[point]?.around ?? -1));
  const beside = [...through];
  const spans = spansOf(parts, rowOf, pathOf);
  let isOther = false;
  for (const [number, [from, to]] of edges.entries()) {
    const [lower, upper] = [through[from] ?? [], through[to] ?? []];
    const both = lower.filter((group, level) => upper[level] === group);
    for (const point of (ways[number] ?? []).slice(1, -1)) {
      const row = rowOf[point] ?? 0;
      const isHere = (/** @type {number} */ group) => {
        const [low, high] = spans.get(group) ?? [0, -1];
        return low <= row && row <= high;
      };
      // The boxes that a group uses are above the whole group. Therefore no row contains groups of both ends
      // of an edge.
      const [left, entered] = [lower.filter(isHere), upper.filter(isHere)];
      const around = left.length > entered.length ? left : entered;
      through[point] = around;
      beside[point] = both;
      isOther ||= around.length > both.length;
    }
  }
  return isOther ? [through, beside] : [through];
}

/**
 * The lowest and the highest row of each group.
 * @param {Part[]} parts
 * @param {number[]} rowOf
 * @param {PathOf} pathOf
 */
function spansOf(parts, rowOf, pathOf) {
  /** @type {Map<number, [number, number]>} */
  const spans = new Map();
  for (const [number, { around }] of parts.entries()) {
    const row = rowOf[number] ?? 0;
    for (const group of pathOf(around)) {
      const [low, high] = spans.get(group) ?? [row, row];
      spans.set(group, [Math.min(low, row), Math.max(high, row)]);
    }
  }
  return spans;
}
