/**
 * Owns the graph with some groups folded: each of them is one box, with one edge for all that lead to the
 * same box. Pure.
 */

import { BOX, MOST_TITLE } from "../union-graph.js";

/** @import {Group, Scope} from "../../run/types.d.ts" */
/** @import {Line, Part, Union} from "../union-graph.js" */

/**
 * @typedef {{groups: Group[], home: Map<string, number>}} Grouping `home`: the innermost group of each part;
 *   -1: none
 */

/** About how many boxes are shown before a visitor unfolds more. */
export const MOST_BOXES = 300;

/**
 * The groups that are open at first: all where they fit; else those around the Nodes of findings, the first
 * Node and the last, then the outermost.
 * @param {Union} union
 * @param {Grouping} grouping
 * @param {Iterable<number>} matters Nodes that a finding is about
 * @param {number} [most] boxes that are shown
 * @returns {Set<string>} keys
 */
export function openAtFirst(union, { groups, home }, matters, most = MOST_BOXES) {
  const direct = itemsOf(union, groups, home);
  const inner = innerOf(groups);
  let room = most - /** @type {number} */ (direct.at(-1)) - (inner.at(-1)?.length ?? 0);
  /** @type {Set<number>} */
  const open = new Set();
  const unfold = (/** @type {number} */ at) => {
    const cost = (direct[at] ?? 0) + (inner[at]?.length ?? 0) - 1;
    if (
      at < 0 ||
      open.has(at) ||
      cost > room ||
      !(open.has(groups[at]?.parent ?? -1) || groups[at]?.parent === -1)
    )
      return;
    open.add(at);
    room -= cost;
  };
  const wayTo = (/** @type {number} */ at) => {
    const way = [];
    for (let group = at; group >= 0; group = groups[group]?.parent ?? -1) way.push(group);
    for (const group of way.reverse()) unfold(group);
  };
  for (const node of matters) wayTo(home.get(String(node)) ?? -1);
  const nodes = union.parts.filter((part) => part.shape === "node");
  wayTo(home.get(nodes[0]?.key ?? "") ?? -1);
  wayTo(home.get(nodes.at(-1)?.key ?? "") ?? -1);
  for (let level = inner.at(-1) ?? []; level.length > 0; level = level.flatMap((at) => inner[at] ?? []))
    for (const at of level) unfold(at);
  return new Set([...open].map((at) => /** @type {Group} */ (groups[at]).key));
}

/**
 * The number of boxes directly in each group, and last in none.
 * @param {Union} union
 * @param {Group[]} groups
 * @param {Map<string, number>} home
 */
function itemsOf({ parts }, groups, home) {
  const counts = [...groups.map(() => 0), 0];
  for (const part of parts) {
    const at = home.get(part.key) ?? -1;
    if (part.shape !== "none")
      counts[at < 0 ? groups.length : at] = (counts[at < 0 ? groups.length : at] ?? 0) + 1;
  }
  return counts;
}

/**
 * The groups directly within each, and last those within none.
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
 * The outermost folded group around each group, itself included; -1: none.
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
 * The box of a folded group, with room for the longest text that is ever shown in it.
 * @param {Group[]} groups
 * @param {number} at
 * @param {Part} first
 * @returns {Part}
 */
function groupPart(groups, at, { node }) {
  const group = /** @type {Group} */ (groups[at]);
  const { key, parent } = group;
  const width = Math.ceil(Math.max(218, titleLength(group) * BOX.size * 0.6 + 64));
  return {
    key,
    node,
    shape: "group",
    width,
    height: BOX.head + 4 + BOX.stack + BOX.band,
    body: BOX.head + 4 + BOX.stack,
    pockets: [],
    around: parent,
    fold: { group: at, nodes: new Set() },
  };
}

/**
 * The most characters of a group's title.
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
 * The edges outside the folds; those between the same two boxes are one.
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
