/**
 * Owns what belongs together at a step: of one thing that is pointed at, all that shows the same thing in the
 * other panes. Pure.
 */

import { changesOf } from "./changes.js";
import { at, stopAtTick } from "./facts.js";

/** @import {Index, State, Subject} from "./types.d.ts" */

/**
 * `id`: of a gradient the key of its edge, `4.0`; of a line its number.
 * @typedef {(
 *   | Subject
 *   | {kind: "node", id: number}
 *   | {kind: "saved", id: number}
 *   | {kind: "line", id: number}
 *   | {kind: "gradient", id: string}
 * )} Thing
 */
/**
 * @typedef {{
 *   tensors: Set<number>,
 *   storages: Set<number>,
 *   names: Set<string>,
 *   labels: Set<string>,
 *   nodes: Set<number>,
 *   saved: Set<number>,
 *   gradients: Set<string>,
 *   lines: Set<number>,
 * }} Related
 */

/**
 * @param {Index} index
 * @param {State} state
 * @param {Thing} thing
 * @returns {Related}
 */
export function relatedTo(index, state, thing) {
  /** @type {Related} */
  const kin = {
    tensors: new Set(),
    storages: new Set(),
    names: new Set(),
    labels: new Set(),
    nodes: new Set(),
    saved: new Set(),
    gradients: new Set(),
    lines: new Set(),
  };
  if (thing.kind === "gradient") addGradient(index, kin, thing.id);
  else if (thing.kind === "storage" || thing.kind === "cell") addStorage(index, state, kin, thing.id);
  else if (thing.kind === "node") addNode(index, state, kin, thing.id);
  else if (thing.kind === "saved") addSaved(index, state, kin, thing.id);
  else if (thing.kind === "line") addLine(index, state, kin, thing.id);
  else addTensor(index, state, kin, tensorOf(index, state, thing));
  return kin;
}

/**
 * The tensor that is meant.
 * @param {Index} index
 * @param {State} state
 * @param {Subject} subject
 */
function tensorOf(index, state, { kind, id }) {
  if (kind === "name") return at(index.names[id]?.tensor, state.tick) ?? null;
  return kind === "grad" ? (state.tensors.get(id)?.grad ?? null) : id;
}

/**
 * A tensor with its names, the storage it looks at, the Node that made it or gathers its gradient, and where
 * it is saved.
 * @param {Index} index
 * @param {State} state
 * @param {Related} kin
 * @param {number | null} id
 */
function addTensor(index, state, kin, id) {
  const own = state.tensors.get(id ?? -1);
  if (own === undefined) return;
  addNamed(state, kin, own.id);
  if (own.geometry?.storage != null) kin.storages.add(own.geometry.storage);
  if (own.node !== null) kin.nodes.add(own.node);
  const { buckets, savers } = gathered(index);
  for (const node of buckets.get(own.id) ?? []) if (state.nodes.get(node) !== undefined) kin.nodes.add(node);
  for (const saved of savers.get(own.id) ?? []) if (isHeld(state, saved)) kin.saved.add(saved);
  addLineOf(index, kin, index.tensors[own.id]?.made_by);
}

/**
 * @param {State} state
 * @param {Related} kin
 * @param {number} id
 */
function addNamed(state, kin, id) {
  kin.tensors.add(id);
  for (const { text, key } of state.tensors.get(id)?.labels ?? []) {
    kin.names.add(text);
    kin.labels.add(key);
  }
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Related} kin
 * @param {number} id
 */
function addStorage(index, state, kin, id) {
  kin.storages.add(id);
  for (const { id: tensor } of index.lookups.lookers_at()(id))
    if (state.tensors.get(tensor)?.geometry?.storage === id) addNamed(state, kin, tensor);
  for (const saved of gathered(index).keepers.get(id) ?? []) if (isHeld(state, saved)) kin.saved.add(saved);
}

/**
 * A Node with its results, the leaf it gathers for, what it saved, and its line.
 * @param {Index} index
 * @param {State} state
 * @param {Related} kin
 * @param {number} id
 */
function addNode(index, state, kin, id) {
  const node = index.nodes[id];
  kin.nodes.add(id);
  for (const { id: tensor } of index.lookups.results_of()(id))
    if (state.tensors.get(tensor)?.node === id) addNamed(state, kin, tensor);
  if (node?.variable !== undefined && state.tensors.get(node.variable) !== undefined)
    addNamed(state, kin, node.variable);
  for (const saved of index.saved_of[id] ?? [])
    if (isHeld(state, saved.id)) addSaved(index, state, kin, saved.id);
  addLineOf(index, kin, node?.made_by);
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Related} kin
 * @param {number} id
 */
function addSaved(index, state, kin, id) {
  const own = index.saved_tensors[id];
  if (own === undefined) return;
  kin.saved.add(id);
  if (own.geometry.storage !== null) kin.storages.add(own.geometry.storage);
  if (own.tensor !== null && state.tensors.get(own.tensor) !== undefined) addNamed(state, kin, own.tensor);
  addLineOf(index, kin, index.nodes[own.node]?.made_by);
}

/**
 * @param {Index} index
 * @param {Related} kin
 * @param {string} key
 */
function addGradient(index, kin, key) {
  const [node, edge] = key.replace("root", "").split(".").map(Number);
  kin.gradients.add(key);
  const to = edge === undefined ? null : index.nodes[node ?? -1]?.edges[edge];
  for (const id of [node, to?.node]) if (id !== undefined) kin.nodes.add(id);
}

/**
 * What was made on a line and is still there.
 * @param {Index} index
 * @param {State} state
 * @param {Related} kin
 * @param {number} line
 */
function addLine(index, state, kin, line) {
  kin.lines.add(line);
  const { made } = gathered(index);
  for (const tensor of made.get(line)?.tensors ?? []) {
    const own = state.tensors.get(tensor);
    if (own === undefined || own.labels.length === 0) continue;
    addNamed(state, kin, tensor);
    if (own.geometry?.storage != null) kin.storages.add(own.geometry.storage);
  }
  for (const node of made.get(line)?.nodes ?? [])
    if (state.nodes.get(node) !== undefined) kin.nodes.add(node);
}

/**
 * @param {State} state
 * @param {number} saved
 */
function isHeld(state, saved) {
  return state.saved.get(saved) !== undefined && state.saved.get(saved) !== "freed";
}

/**
 * @param {Index} index
 * @param {Related} kin
 * @param {number | null | undefined} step
 */
function addLineOf(index, kin, step) {
  const line = lineOf(index, step);
  if (line !== undefined) kin.lines.add(line);
}

/**
 * @param {Index} index
 * @param {number | null | undefined} step
 */
function lineOf(index, step) {
  let own = index.steps[step ?? -1];
  while (own !== undefined && own.span === undefined)
    own = own.parent === undefined ? undefined : index.steps[own.parent];
  return own?.span?.line;
}

/**
 * @typedef {{
 *   buckets: Map<number, number[]>,
 *   savers: Map<number, number[]>,
 *   keepers: Map<number, number[]>,
 *   made: Map<number, {tensors: number[], nodes: number[]}>,
 * }} Gathered
 */

/** @type {WeakMap<Index["steps"], Gathered>} */
const known = new WeakMap();

/**
 * AccumulateGrads by leaf, saved tensors by tensor and by storage, and what was made by line.
 * @param {Index} index
 * @returns {Gathered}
 */
function gathered(index) {
  const old = known.get(index.steps);
  if (old !== undefined) return old;
  /** @type {Gathered} */
  const own = { buckets: new Map(), savers: new Map(), keepers: new Map(), made: new Map() };
  const put = (
    /** @type {Map<number, number[]>} */ into,
    /** @type {number | null | undefined} */ key,
    /** @type {number} */ id,
  ) => {
    if (key == null) return;
    const list = into.get(key);
    if (list) list.push(id);
    else into.set(key, [id]);
  };
  const madeOn = (/** @type {number | null | undefined} */ step) => {
    const line = lineOf(index, step) ?? 0;
    const list = own.made.get(line) ?? { tensors: [], nodes: [] };
    own.made.set(line, list);
    return list;
  };
  for (const { id, variable, made_by } of index.nodes) {
    put(own.buckets, variable, id);
    madeOn(made_by).nodes.push(id);
  }
  for (const { id, tensor, geometry } of index.saved_tensors) {
    put(own.savers, tensor, id);
    put(own.keepers, geometry.storage, id);
  }
  for (const { id, made_by } of index.tensors) madeOn(made_by).tensors.push(id);
  known.set(index.steps, own);
  return own;
}

/**
 * The stops at which something happens to a thing, in order.
 * @param {Index} index
 * @param {Thing} thing
 * @returns {number[]}
 */
export function stopsOf(index, thing) {
  if (thing.kind === "line" || thing.kind === "gradient") return [];
  if (thing.kind === "saved")
    return stopsOf(index, { kind: "node", id: index.saved_tensors[thing.id]?.node ?? -1 });
  if (thing.kind !== "node") return changesOf(index, thing).map(({ k }) => k);
  const node = index.nodes[thing.id];
  if (node === undefined) return [];
  const ticks = [
    node.born,
    ...index.lookups
      .runs_of()(thing.id)
      .map((run) => run.ended),
    ...(node.freed === undefined ? [] : [node.freed]),
  ];
  return [...new Set(ticks.map((tick) => stopAtTick(index, tick)))].sort((a, b) => a - b);
}
