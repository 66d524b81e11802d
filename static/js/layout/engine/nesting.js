/** Owns the groups around parts, and around the points of edges between parts. Pure. */

/** @import {Group} from "../../run/types.d.ts" */
/** @import {Part} from "../union-graph.js" */
/** @import {Layers} from "./layered.js" */
/** @import {Nest} from "./ordering.js" */

/** @typedef {(group: number) => number[]} PathOf a group and those around it, the outermost first */

/**
 * The path of each group, computed once.
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
 * The outermost group around a group; -1: none.
 * @param {Group[]} groups
 */
export function outermostOf(groups) {
  const pathOf = pathsOf(groups);
  return (/** @type {number} */ group) => pathOf(group)[0] ?? -1;
}

/**
 * The parts of a component and the groups around its parts, renumbered and without the outer levels.
 * `numbers` has the old numbers of the groups.
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
 * The groups around each point, in two variants if they differ. In the first, an edge stays in a group for
 * all rows of the group and leaves at the top or bottom. In the second, the edge leaves the group at once,
 * at the side, where fewer edges may cross it.
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
      // no row has groups of both ends, because the parts that a group uses are above the whole group
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
