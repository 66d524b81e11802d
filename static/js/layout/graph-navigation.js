/**
 * Owns navigation with the arrow keys in the graph, from a box to its inputs, users and siblings. Also owns
 * the search for Nodes, names and storages. Pure.
 */

import { addTo } from "../run/grouped.js";
import { shortName } from "../run/values/format.js";
import { at, stopAtTick } from "../run/facts.js";
import { boxesOf } from "./group-contents.js";
import { everName } from "../run/naming/naming.js";
import { perRun } from "../run/per-run.js";
import { isThere } from "./visible.js";

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
    addTo(ways.next, from, to);
    addTo(ways.users, to, from);
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
 * The box where navigation begins: the box of the running Node, else the newest box.
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
 * The box to which an arrow key leads. Up leads to the first of the box's next_functions and down to its
 * first user. Left and right lead to the other next_functions of the same users.
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
      .filter((box) => box !== undefined && isThere(state, box));
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

/** A shape in a query: `(4, 8)`, `4x8`, `4 × 8`, `4, 8`, `(4,)`. */
const SHAPE = /^[([]?\s*(\d+(?:\s*[,x×*]\s*\d+)+|\d+\s*,)\s*[)\]]?$/;

/**
 * The existing Nodes that match a query by their name, their operator, the name or shape of their tensor, or
 * their line.
 * @param {Index} index
 * @param {State} state
 * @param {string} text
 * @returns {number[]}
 */
export function nodesFoundBy(index, state, text) {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const shape = SHAPE.test(wanted) ? (wanted.match(/\d+/g) ?? []).join() : null;
  const isLine = shape === null && (!/[a-z]\d/.test(wanted) || /^l\d+$/.test(wanted));
  const line = isLine ? Number(/^\D*?(\d+)\D*$/.exec(wanted)?.[1] ?? NaN) : NaN;
  const found = index.nodes.filter((node) => {
    if (node.born > state.tick) return false;
    if (shape !== null) return node.inputs.some((made) => made?.shape?.join() === shape);
    const { made_by } = node;
    const operator = node.variable === undefined ? (index.steps[made_by ?? -1]?.name ?? "") : "";
    const names = [shortName(node.name), operator, ...namesOf(index, node.id, node.variable)];
    return names.some((name) => name.toLowerCase().includes(wanted)) || lineOf(index, made_by) === line;
  });
  return found.map((node) => node.id);
}

/**
 * The storage with the number in a query (`S7`); null if no such storage exists at this stop.
 * @param {State} state
 * @param {string} text
 * @returns {number | null}
 */
export function storageFoundBy(state, text) {
  const id = Number(/^s(\d+)$/i.exec(text.trim())?.[1] ?? NaN);
  return state.storages.has(id) ? id : null;
}

/**
 * The names that match a query and refer to a tensor at this stop.
 * @param {Index} index
 * @param {State} state
 * @param {string} text
 * @returns {number[]}
 */
export function namesFoundBy(index, state, text) {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const found = index.names.filter(
    ({ path, tensor }) => path.toLowerCase().includes(wanted) && at(tensor, state.tick) != null,
  );
  return found.map((name) => name.id);
}

/**
 * The first stop from `k` on at which a query finds a name or a storage, else the first such stop of the run;
 * null: there is no such stop. A name equal to the query is preferred to names that contain the query.
 * @param {Index} index
 * @param {string} text
 * @param {number} k
 * @returns {number | null}
 */
export function stopFoundBy(index, text, k) {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return null;
  const named = index.names.filter(({ path }) => path.toLowerCase().includes(wanted));
  const whole = named.filter(({ path }) => path.toLowerCase() === wanted);
  const ticks = (whole.length > 0 ? whole : named).flatMap(({ tensor }) =>
    (tensor ?? []).flatMap(([tick, id]) => (id === null ? [] : [tick])),
  );
  const storage = index.storages[Number(/^s(\d+)$/.exec(wanted)?.[1] ?? NaN)];
  if (storage !== undefined) ticks.push(storage.born);
  const stops = ticks.map((tick) => stopAtTick(index, tick)).sort((one, other) => one - other);
  return stops.find((stop) => stop >= k) ?? stops[0] ?? null;
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
