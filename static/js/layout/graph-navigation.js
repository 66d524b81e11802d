/**
 * Owns navigation in the graph: from a box to the boxes it leads to, to its users, to its siblings; and which
 * Nodes a query finds. Pure.
 */

import { shortName } from "../run/format.js";
import { boxesOf } from "./group-contents.js";
import { everName } from "../run/naming.js";
import { perRun } from "../run/per-run.js";

/** @import {GraphBox, GraphLayout, Index, State} from "../run/types.d.ts" */

/** @typedef {"up" | "down" | "left" | "right"} Direction */
/**
 * @typedef {{boxes: Map<string, GraphBox>, next: Map<string, string[]>, users: Map<string, string[]>}} Ways
 */

const waysOf = perRun((/** @type {GraphLayout} */ layout) => {
  /** @type {Ways} */
  const ways = {
    boxes: new Map(layout.boxes.map((box) => [box.key, box])),
    next: new Map(),
    users: new Map(),
  };
  for (const { from, to } of layout.edges) {
    if (to === null) continue;
    ways.next.set(from, [...(ways.next.get(from) ?? []), to]);
    ways.users.set(to, [...(ways.users.get(to) ?? []), from]);
  }
  return ways;
});

/**
 * @param {GraphLayout} layout
 * @param {string} key
 */
export function boxOf(layout, key) {
  return waysOf(layout).boxes.get(key);
}

/**
 * The box where navigation begins: that of the Node that runs, else the newest one.
 * @param {GraphLayout} layout
 * @param {State} state
 * @returns {GraphBox | undefined}
 */
export function firstBox(layout, state) {
  const active = state.stop.node === null ? [] : boxesOf(layout, state.stop.node);
  return (
    active[0] ??
    layout.boxes
      .filter((box) => state.nodes.has(box.node) && box.shape !== "bucket")
      .reduce(
        (/** @type {GraphBox | undefined} */ newest, box) =>
          newest === undefined || box.node > newest.node ? box : newest,
        undefined,
      )
  );
}

/**
 * The box beside another: up along next_functions, the first of them first; down to the users; left and right
 * to the next_functions of the same users.
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {string} key
 * @param {Direction} direction
 * @returns {GraphBox | undefined}
 */
export function boxBeside(layout, state, key, direction) {
  const { boxes, next, users } = waysOf(layout);
  const there = (/** @type {string[]} */ keys) =>
    [...new Set(keys)]
      .map((boxKey) => boxes.get(boxKey))
      .filter((box) => box !== undefined && state.nodes.has(box.node));
  if (direction === "up") return there(next.get(key) ?? [])[0];
  if (direction === "down") return there(users.get(key) ?? [])[0];
  const usersOfBox = users.get(key) ?? [];
  const row =
    usersOfBox.length > 0
      ? there(usersOfBox.flatMap((user) => next.get(user) ?? []))
      : there([...boxes.keys()].filter((each) => !users.has(each)));
  row.sort((a, b) => (a?.x ?? 0) - (b?.x ?? 0));
  return row[row.findIndex((box) => box?.key === key) + (direction === "left" ? -1 : 1)];
}

/**
 * The existing Nodes that a query finds by their name, by the name of the tensor they made or accumulate
 * into, or by line.
 * @param {Index} index
 * @param {State} state
 * @param {string} text
 * @returns {number[]}
 */
export function nodesFoundBy(index, state, text) {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const line = Number(/^\D*?(\d+)\D*$/.exec(wanted)?.[1] ?? NaN);
  const found = index.nodes.filter((node) => {
    if (node.born > state.tick) return false;
    const names = [shortName(node.name), ...namesOf(index, node.id, node.variable)];
    return (
      names.some((name) => name.toLowerCase().includes(wanted)) ||
      (!/[a-z]\d/.test(wanted) && lineOf(index, node.made_by) === line)
    );
  });
  return found.map((node) => node.id);
}

/**
 * @param {Index} index
 * @param {number} id
 * @param {number | undefined} variable
 */
function namesOf(index, id, variable) {
  const tensors =
    variable === undefined
      ? index.lookups
          .results_of()(id)
          .map((tensor) => tensor.id)
      : [variable];
  return tensors.map((tensor) => everName(index, tensor)).filter((name) => name !== undefined);
}

/**
 * @param {Index} index
 * @param {number | null | undefined} made_by
 */
function lineOf(index, made_by) {
  return index.stops[index.stop_of.get(made_by ?? -1) ?? -1]?.line;
}
