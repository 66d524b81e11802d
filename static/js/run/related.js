/** Owns which items of all panes are related to the item under the mouse pointer at a step. Pure. */

import { changesOf } from "./changes.js";
import { at, stopAtTick } from "./facts.js";
import { isHeld } from "./state-at.js";
import { lineOfStep } from "./step-tree.js";

/** @import {Index, State, Subject} from "./types.d.ts" */

/**
 * An item that a pane shows. The `id` of a gradient is the key of its edge, such as `4.0`; the `id` of a
 * line is its number.
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
  const related = {
    tensors: new Set(),
    storages: new Set(),
    names: new Set(),
    labels: new Set(),
    nodes: new Set(),
    saved: new Set(),
    gradients: new Set(),
    lines: new Set(),
  };
  if (thing.kind === "gradient") addGradient(index, related, thing.id);
  else if (thing.kind === "storage" || thing.kind === "cell") addStorage(index, state, related, thing.id);
  else if (thing.kind === "node") addNode(index, state, related, thing.id);
  else if (thing.kind === "saved") addSaved(index, state, related, thing.id);
  else if (thing.kind === "line") addLine(index, state, related, thing.id);
  else if (thing.kind !== "fold") addTensor(index, state, related, tensorOf(index, state, thing));
  return related;
}

/**
 * The tensor that an item stands for: the tensor itself, the one that a name is bound to, or a leaf's
 * `grad`; null if there is none.
 * @param {Index} index
 * @param {State} state
 * @param {Subject} subject
 */
function tensorOf(index, state, { kind, id }) {
  if (kind === "name") return at(index.names[id]?.tensor, state.tick) ?? null;
  return kind === "grad" ? (state.tensors.get(id)?.grad ?? null) : id;
}

/**
 * Adds a tensor to `related`, with its names, its storage, its `grad_fn` or AccumulateGrad, its saved
 * tensors, and the line that made it.
 * @param {Index} index
 * @param {State} state
 * @param {Related} related
 * @param {number | null} id
 */
function addTensor(index, state, related, id) {
  const tensor = state.tensors.get(id ?? -1);
  if (tensor === undefined) return;
  addNamed(state, related, tensor.id);
  if (tensor.geometry?.storage != null) related.storages.add(tensor.geometry.storage);
  if (tensor.node !== null) related.nodes.add(tensor.node);
  const { leaves_of, saved_as } = index.lookups;
  for (const node of leaves_of()(tensor.id)) if (state.nodes.has(node.id)) related.nodes.add(node.id);
  for (const saved of saved_as()(tensor.id))
    if (isHeld(state.saved.get(saved.id))) related.saved.add(saved.id);
  addLineOf(index, related, index.tensors[tensor.id]?.made_by);
}

/**
 * @param {State} state
 * @param {Related} related
 * @param {number} id
 */
function addNamed(state, related, id) {
  related.tensors.add(id);
  for (const { text, key } of state.tensors.get(id)?.labels ?? []) {
    related.names.add(text);
    related.labels.add(key);
  }
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Related} related
 * @param {number} id
 */
function addStorage(index, state, related, id) {
  related.storages.add(id);
  const { tensors_in, saved_in } = index.lookups;
  for (const { id: tensor } of tensors_in()(id))
    if (state.tensors.get(tensor)?.geometry?.storage === id) addNamed(state, related, tensor);
  for (const saved of saved_in()(id)) if (isHeld(state.saved.get(saved.id))) related.saved.add(saved.id);
}

/**
 * Adds a Node to `related`, with its results, the leaf whose gradient it accumulates, its saved tensors, and
 * the line that made it.
 * @param {Index} index
 * @param {State} state
 * @param {Related} related
 * @param {number} id
 */
function addNode(index, state, related, id) {
  const node = index.nodes[id];
  related.nodes.add(id);
  for (const { id: tensor } of index.lookups.results_of()(id))
    if (state.tensors.get(tensor)?.node === id) addNamed(state, related, tensor);
  if (node?.variable !== undefined && state.tensors.get(node.variable) !== undefined)
    addNamed(state, related, node.variable);
  for (const saved of index.saved_of[id] ?? [])
    if (isHeld(state.saved.get(saved.id))) addSaved(index, state, related, saved.id);
  addLineOf(index, related, node?.made_by);
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Related} related
 * @param {number} id
 */
function addSaved(index, state, related, id) {
  const saved = index.saved_tensors[id];
  if (saved === undefined) return;
  related.saved.add(id);
  if (saved.geometry.storage !== null) related.storages.add(saved.geometry.storage);
  if (saved.tensor !== null && state.tensors.get(saved.tensor) !== undefined)
    addNamed(state, related, saved.tensor);
  addLineOf(index, related, index.nodes[saved.node]?.made_by);
}

/**
 * @param {Index} index
 * @param {Related} related
 * @param {string} key
 */
function addGradient(index, related, key) {
  const [node, edge] = key.replace("root", "").split(".").map(Number);
  related.gradients.add(key);
  const to = edge === undefined ? null : index.nodes[node ?? -1]?.edges[edge];
  for (const id of [node, to?.node]) if (id !== undefined) related.nodes.add(id);
}

/**
 * Adds the named tensors and the Nodes that a line created and that exist at the step.
 * @param {Index} index
 * @param {State} state
 * @param {Related} related
 * @param {number} line
 */
function addLine(index, state, related, line) {
  related.lines.add(line);
  const { nodes_on, tensors_on } = index.lookups;
  for (const { id } of tensors_on()(line)) {
    const tensor = state.tensors.get(id);
    if (tensor === undefined || tensor.labels.length === 0) continue;
    addNamed(state, related, id);
    if (tensor.geometry?.storage != null) related.storages.add(tensor.geometry.storage);
  }
  for (const { id } of nodes_on()(line)) if (state.nodes.has(id)) related.nodes.add(id);
}

/**
 * @param {Index} index
 * @param {Related} related
 * @param {number | null | undefined} step
 */
function addLineOf(index, related, step) {
  const line = lineOfStep(index.steps, step);
  if (line !== 0) related.lines.add(line);
}

/**
 * The stops at which an item changes, in order. A Node changes when it is created, run and freed; a saved
 * tensor has the stops of its Node; a line or a gradient has none.
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
