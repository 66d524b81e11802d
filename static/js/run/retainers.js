/**
 * Owns the reasons why an unnamed tensor, or a storage without a tensor, is still alive: views, gradients,
 * saved tensors. Pure.
 */

import { shortName } from "./values/format.js";
import { nameIn } from "./naming/naming.js";
import { isHeld } from "./state-at.js";

/** @import {Index, Message, State} from "./types.d.ts" */

/**
 * The reasons why an unnamed tensor is alive, simplest first; empty if the recording contains no reason.
 * @param {Index} index
 * @param {State} state
 * @param {number} tensor
 * @returns {Message[]}
 */
export function retainersOfTensor(index, state, tensor) {
  const { views_of, saved_as, owners_of, leaves_of } = index.lookups;
  const views = views_of()(tensor)
    .filter((view) => state.tensors.get(view.id)?.base === tensor)
    .map((view) => nameIn(index, state, view.id));
  const named = views.find((name) => name !== undefined);
  const owner = owners_of()(tensor).find((candidate) => state.tensors.get(candidate.id)?.grad === tensor);
  const leaf = leaves_of()(tensor).find((node) => state.nodes.get(node.id)?.freed === false);
  /** @type {Message[]} */
  const retainers = [];
  if (named !== undefined) retainers.push({ id: "keeper-view", args: { name: named } });
  retainers.push(...savers(index, state, saved_as()(tensor)));
  if (owner !== undefined) retainers.push({ id: "keeper-grad", args: {} });
  if (leaf !== undefined) retainers.push({ id: "keeper-leaf", args: {} });
  return retainers;
}

/**
 * The saved tensors that keep a storage alive, each with its Node, as messages.
 * @param {Index} index
 * @param {State} state
 * @param {number} storage
 * @returns {Message[]}
 */
export function retainersOfStorage(index, state, storage) {
  return savers(index, state, index.lookups.saved_in()(storage));
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {readonly Index["saved_tensors"][number][]} saved
 * @returns {Message[]}
 */
function savers(index, state, saved) {
  const held = saved.filter((slot) => isHeld(state.saved.get(slot.id)));
  return held.map((slot) => ({
    id: "keeper-saved",
    args: { node: shortName(index.nodes[slot.node]?.name ?? "?"), slot: slot.name },
  }));
}
