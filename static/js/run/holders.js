/**
 * Owns the owners of a storage at a stop: the tensors that use it, the Nodes that saved it, and the names of
 * tensors with a graph that contains these Nodes. Pure.
 */

import { addTo } from "./grouped.js";
import { perTrace } from "./per-run.js";
import { isHeld } from "./state-at.js";

/** @import {Index, State} from "./types.d.ts" */

/**
 * @typedef {{tensors: {id: number, name: string | undefined}[], nodes: number[], names: string[]}} Holders
 *   `nodes`: the Nodes that saved the storage; `names`: the named tensors whose graph contains these Nodes
 */

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} storage
 * @returns {Holders}
 */
export function holdersOf(index, state, storage) {
  const { tensors_in, saved_in } = index.lookups;
  const tensors = tensors_in()(storage).flatMap(({ id }) => {
    const tensor = state.tensors.get(id);
    return tensor?.geometry?.storage === storage ? [{ id, name: tensor.labels[0]?.text }] : [];
  });
  const held = saved_in()(storage).filter(({ id }) => isHeld(state.saved.get(id)));
  const nodes = [...new Set(held.map(({ node }) => node))];
  return { tensors, nodes, names: namesReaching(index, state, nodes) };
}

/** For each Node, the Nodes that have an edge to it. */
const users = perTrace((/** @type {Index} */ { nodes }) => {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  for (const { id, edges } of nodes) for (const edge of edges) if (edge !== null) addTo(found, edge.node, id);
  return found;
});

/**
 * The names of tensors from whose `grad_fn` a path leads to any of the given Nodes, nearest first.
 * @param {Index} index
 * @param {State} state
 * @param {number[]} nodes
 */
function namesReaching(index, state, nodes) {
  const reached = new Set(nodes);
  /** @type {Set<string>} */
  const names = new Set();
  for (const node of reached) {
    for (const { id } of index.lookups.results_of()(node)) {
      const tensor = state.tensors.get(id);
      const name = tensor?.node === node ? tensor.labels[0]?.text : undefined;
      if (name !== undefined) names.add(name);
    }
    for (const user of users(index).get(node) ?? [])
      if (state.nodes.get(user)?.freed === false) reached.add(user);
  }
  return [...names];
}

/**
 * The live storage that is next in size after a given storage, in a cycle from the largest to the smallest;
 * without a given storage, the largest.
 * @param {Index} index
 * @param {State} state
 * @param {number | null} after
 */
export function largestStorage(index, state, after) {
  const alive = index.storages
    .map(({ id }) => state.storages.get(id))
    .filter((storage) => storage !== undefined && !storage.freed && storage.nbytes > 0)
    .map((storage) => ({ id: storage?.id ?? -1, nbytes: storage?.nbytes ?? 0 }))
    .sort((a, b) => b.nbytes - a.nbytes || a.id - b.id);
  const at = alive.findIndex(({ id }) => id === after);
  return (alive[at + 1] ?? alive[0])?.id;
}
