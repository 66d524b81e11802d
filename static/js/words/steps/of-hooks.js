/** Owns the sentences about registering hooks on tensors, and about `retain_grad()`. Pure. */

import { at } from "../../run/facts.js";
import { gradName } from "../../run/naming/naming.js";
import { called, code } from "./phrases.js";

/** @import {Hook} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State} from "../../run/types.d.ts" */

/**
 * The maximum number of hooks that the sentences of a step mention, because one step may register many
 * hooks.
 */
const MOST = 4;

/**
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function putOn(index, state) {
  const fresh = index.lookups.hooks().within(state.before, state.tick);
  const sentences = fresh.slice(0, MOST).map((hook) => told(index, state, hook));
  return fresh.length > MOST
    ? [...sentences, { id: "story-more-hooks", args: { count: fresh.length - MOST } }]
    : sentences;
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Hook} hook
 * @returns {Sentence}
 */
function told(index, state, { kind, tensor, tick, function: called_by }) {
  const name = called(index, state, tensor);
  const label = state.tensors.get(tensor)?.labels[0]?.text;
  const grad = label === undefined ? { id: "phrase-its-grad", args: {} } : code(gradName(label));
  const by = called_by == null || called_by === "<lambda>" ? "none" : called_by;
  if (kind === "gradient") return { id: "story-hook", args: { name, function: by } };
  if (kind === "accumulated") return { id: "story-hook-accumulated", args: { name, grad, function: by } };
  const isLeaf = at(index.tensors[tensor]?.is_leaf, tick) === true;
  return { id: isLeaf ? "story-retain-leaf" : "story-retain", args: { name, grad } };
}
