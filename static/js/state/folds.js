/** Owns which groups of the graph a visitor opened and closed, for as long as a run is shown. */

import { graphLayout } from "../io/graph-layout.js";
import { played } from "./store.js";

/** @import {Index} from "../run/types.d.ts" */

/** @type {WeakMap<Index["nodes"], Set<string>>} */
const chosen = new WeakMap();

/**
 * Keys of the open groups; undefined where the visitor chose none.
 * @param {Index} index
 */
export function openGroupsIn(index) {
  return chosen.get(index.nodes);
}

/**
 * Opens a folded group, folds an open one.
 * @param {string} key
 */
export function toggleFold(key) {
  const open = new Set(played.peek()?.graph.open);
  if (!open.delete(key)) open.add(key);
  return lay(open);
}

/**
 * Opens groups and all groups around them.
 * @param {string[]} keys
 */
export function unfold(keys) {
  const graph = played.peek()?.graph;
  if (graph === undefined) return Promise.resolve();
  const open = new Set(graph.open);
  for (const key of keys) {
    for (
      let group = graph.groups.find((group) => group.key === key);
      group !== undefined;
      group = graph.groups[group.parent]
    )
      open.add(group.key);
  }
  return open.size === graph.open.size ? Promise.resolve() : lay(open);
}

/** @param {boolean} isOpen */
export function foldAll(isOpen) {
  const groups = played.peek()?.graph.groups ?? [];
  return lay(new Set(isOpen ? groups.map((group) => group.key) : []));
}

/** @param {Set<string>} open */
async function lay(open) {
  const before = played.peek();
  if (before === null) return;
  chosen.set(before.index.nodes, open);
  const graph = await graphLayout(before.index, before.graph.measures, open);
  const now = played.peek();
  if (now?.graph === before.graph) played.value = { ...now, graph };
}
