/**
 * Folds groups of the graph. A folded group becomes one box, and edges between the same two boxes become one
 * edge. Pure.
 */

import { BOX, MOST_TITLE } from "../union-graph.js";

/** @import {Group, Scope} from "../../run/types.d.ts" */
/** @import {Line, Part, Union} from "../union-graph.js" */

/**
 * @typedef {{groups: Group[], home: Map<string, number>}} Grouping `home`: the innermost group of each part;
 *   -1: none
 */

/**
 * The maximum size of a graph before a visitor opens more groups. `area`, in picture units, is about six
 * panes of a 1440 × 900 page at the smallest readable scale. The limits do not depend on the page, so a link
 * opens the same groups on every screen. If fewer than `few` boxes are shown, the next level opens provided
 * that at most `most` boxes are shown then.
 */
export const AT_FIRST = { boxes: 40, area: 6 * 490 * 640, few: 6, most: 80 };
/** The space between two boxes next to each other, and between two boxes above each other. */
const AROUND = { across: 36, along: 64 };

/**
 * Chooses the groups that are open when a run is shown: the groups around the Nodes of findings, then as
 * many levels as fit. All groups of a level open together, so that equal layers of a model look equal.
 * @param {Union} union
 * @param {Grouping} grouping
 * @param {Iterable<number>} matters Nodes of findings
 * @param {number} [most] maximum number of shown boxes
 * @returns {Set<string>} keys
 */
export function openAtFirst(union, { groups, home }, matters, most = AT_FIRST.boxes) {
  const costs = costsOf(union, groups, home);
  const inner = innerOf(groups);
  const shown = { .../** @type {Cost} */ (costs.at(-1)) };
  for (const at of inner.at(-1) ?? []) add(shown, boxCost(groups, at));
  /** @type {Set<number>} */
  const open = new Set();
  const opens = (/** @type {number[]} */ level, /** @type {number} */ boxes, /** @type {number} */ area) => {
    const after = { ...shown };
    for (const at of level) {
      add(after, /** @type {Cost} */ (costs[at]));
      add(after, boxCost(groups, at), -1);
      for (const each of inner[at] ?? []) add(after, boxCost(groups, each));
    }
    if (after.boxes > boxes || after.area > area) return false;
    Object.assign(shown, after);
    for (const at of level) open.add(at);
    return true;
  };
  for (const node of matters)
    for (const at of wayTo(groups, home.get(String(node)) ?? -1))
      if (!open.has(at) && !opens([at], most, Infinity)) break;
  for (let level = inner.at(-1) ?? []; level.length > 0; level = level.flatMap((at) => inner[at] ?? [])) {
    const isBare = shown.boxes < AT_FIRST.few && most >= AT_FIRST.boxes;
    const closed = level.filter((at) => !open.has(at));
    if (!opens(closed, isBare ? AT_FIRST.most : most, isBare ? Infinity : AT_FIRST.area)) break;
  }
  return new Set([...open].map((at) => /** @type {Group} */ (groups[at]).key));
}

/**
 * The groups from the outermost group to the given group.
 * @param {Group[]} groups
 * @param {number} at
 */
function wayTo(groups, at) {
  const way = [];
  for (let group = at; group >= 0; group = groups[group]?.parent ?? -1) way.push(group);
  return way.reverse();
}

/** @typedef {{boxes: number, area: number}} Cost */

/**
 * @param {Cost} sum
 * @param {Cost} cost
 * @param {1 | -1} [sign]
 */
function add(sum, { boxes, area }, sign = 1) {
  sum.boxes += sign * boxes;
  sum.area += sign * area;
}

/**
 * @param {Group[]} groups
 * @param {number} at
 * @returns {Cost}
 */
function boxCost(groups, at) {
  return costOf(groupSize(/** @type {Group} */ (groups[at])));
}

/**
 * @param {{width: number, height: number}} size
 * @returns {Cost}
 */
function costOf({ width, height }) {
  return { boxes: 1, area: (width + AROUND.across) * (height + AROUND.along) };
}

/**
 * The number and area of the boxes directly in each group. The last item counts the boxes in no group.
 * @param {Union} union
 * @param {Group[]} groups
 * @param {Map<string, number>} home
 */
function costsOf({ parts }, groups, home) {
  const costs = Array.from({ length: groups.length + 1 }, () => ({ boxes: 0, area: 0 }));
  for (const part of parts) {
    const at = home.get(part.key) ?? -1;
    if (part.shape !== "none") add(/** @type {Cost} */ (costs[at < 0 ? groups.length : at]), costOf(part));
  }
  return costs;
}

/**
 * The groups directly within each group. The last list has the groups that are in no other group.
 * @param {Group[]} groups
 */
function innerOf(groups) {
  /** @type {number[][]} */
  const inner = [...groups.map(() => []), []];
  for (const [at, { parent }] of groups.entries()) inner[parent < 0 ? groups.length : parent]?.push(at);
  return inner;
}

/**
 * The union graph with its folded groups.
 * @param {Union} union
 * @param {Grouping} grouping
 * @param {Set<string>} open
 * @returns {Union}
 */
export function folded(union, { groups, home }, open) {
  const shown = shownIn(groups, open);
  /** @type {Part[]} */
  const parts = [];
  /** @type {Map<string, string>} */
  const standsFor = new Map();
  /** @type {Map<number, Part>} */
  const boxes = new Map();
  for (const part of union.parts) {
    const at = home.get(part.key) ?? -1;
    const fold = shown[at] ?? -1;
    if (fold < 0) parts.push({ ...part, around: at });
    else {
      const box = boxes.get(fold) ?? groupPart(groups, fold, part);
      if (!boxes.has(fold)) parts.push(box);
      boxes.set(fold, box);
      if (part.shape !== "none") box.fold?.nodes.add(part.node);
      standsFor.set(part.key, box.key);
    }
  }
  return { parts, lines: mergedLines(union.lines, standsFor) };
}

/**
 * For each group, the outermost folded group that contains it, or the group itself if only this group is
 * folded; -1: no such group.
 * @param {Group[]} groups
 * @param {Set<string>} open
 */
function shownIn(groups, open) {
  /** @type {number[]} */
  const shown = [];
  for (const [at, { key, parent }] of groups.entries()) {
    const outer = shown[parent] ?? -1;
    shown.push(outer >= 0 ? outer : open.has(key) ? -1 : at);
  }
  return shown;
}

/**
 * The box of a folded group, large enough for the longest text that the box shows at any step.
 * @param {Group[]} groups
 * @param {number} at
 * @param {Part} first
 * @returns {Part}
 */
function groupPart(groups, at, { node }) {
  const group = /** @type {Group} */ (groups[at]);
  const { key, parent } = group;
  return {
    key,
    node,
    shape: "group",
    ...groupSize(group),
    pockets: [],
    around: parent,
    fold: { group: at, nodes: new Set() },
  };
}

/** @param {Group} group */
function groupSize(group) {
  const body = BOX.head + 4 + BOX.stack;
  const width = Math.ceil(Math.max(218, titleLength(group) * BOX.size * 0.6 + 64));
  return { width, height: body + BOX.band, body };
}

/**
 * The maximum length of a group's title.
 * @param {Group} group
 */
export function titleLength({ scopes }) {
  return Math.min(
    MOST_TITLE,
    scopes.map(lengthOf).reduce((sum, length) => sum + length + 3, -3),
  );
}

/**
 * The characters of a scope's words, in the longer of the two languages.
 * @param {Scope} scope
 */
function lengthOf(scope) {
  if (scope.kind === "round") return `round ${scope.round}`.length;
  if (scope.kind === "line") return `line ${scope.line}`.length;
  if (scope.kind === "part") return `line ${scope.line} · ${scope.first}–${scope.last}`.length;
  if (scope.kind === "rounds") return `rounds ${scope.first}–${scope.last}`.length;
  return scope.name.length;
}

/**
 * The edges after folding: edges inside a folded group are dropped, and edges between the same two boxes are
 * merged.
 * @param {Line[]} lines
 * @param {Map<string, string>} standsFor
 * @returns {Line[]}
 */
function mergedLines(lines, standsFor) {
  /** @type {Map<string, Line>} */
  const merged = new Map();
  for (const line of lines) {
    const [from, to] = [standsFor.get(line.from), standsFor.get(line.to)];
    if (from === undefined && to === undefined) merged.set(line.key, line);
    else if (from !== to) {
      const [start, end] = [from ?? line.from, to ?? line.to];
      const key = `${start}>${end}`;
      const bundle = merged.get(key) ?? { ...line, key, from: start, to: end, merged: [] };
      bundle.merged.push(line.key);
      merged.set(key, bundle);
    }
  }
  return [...merged.values()];
}
