/**
 * Owns the sentences about operators: which operator ran, which unnamed tensors it made, and whether it
 * returned the first NaN. Pure.
 */

import { placeOfStep } from "../../run/places.js";
import { firstNanIn } from "../../run/values/first-nan.js";
import { isOlder } from "../../run/there-before.js";
import { nodeOf, shapeIn, valueIn } from "./phrases.js";

/** @import {Index, Sentence, State, TensorState} from "../../run/types.d.ts" */

const MOST = 3;
/** Matches the operators that allocate memory without writing to it, such as `torch.empty`. */
const UNINITIALISED = /^aten::(new_|_)?empty/;

/**
 * The sentences about an operator that ran and the unnamed tensors that it made. Tensors with a name have
 * sentences of their own (of-memory.js).
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function ranOperator(index, state) {
  const { stop } = state;
  if (stop.kind !== "operator") return [];
  const operator = stop.step.name ?? "?";
  const born = index.lookups.born
    .tensors()
    .within(state.before, state.tick)
    .filter((tensor) => tensor.made_by === stop.step.id);
  const made = born
    .map((tensor) => state.tensors.get(tensor.id))
    .filter((tensor) => tensor !== undefined)
    .filter((tensor) => tensor.labels.length === 0);
  /** @type {Sentence} */
  const ran =
    stop.node === null
      ? { id: "story-operator", args: { operator } }
      : { id: "story-operator-of", args: { operator, node: nodeOf(index, stop.node) } };
  return [ran, ...made.slice(0, MOST).map((tensor) => madeBy(index, state, tensor))];
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {TensorState} tensor
 * @returns {Sentence}
 */
function madeBy(index, state, { id, geometry }) {
  const storage = geometry?.storage ?? null;
  const args = { shape: shapeIn(geometry), storage: `S${storage}` };
  if (geometry === null || storage === null) return { id: "story-made-bare", args };
  const inStorage = index.lookups
    .tensors_in()(storage)
    .map((tensor) => state.tensors.get(tensor.id))
    .filter((tensor) => tensor !== undefined);
  const other = inStorage.find(
    (tensor) => tensor.id !== id && tensor.labels.length > 0 && tensor.geometry?.storage === storage,
  );
  const isOld =
    (index.storages[storage]?.born ?? 0) < state.stop.step.began ||
    index.lookups.tensors_in()(storage)[0]?.id !== id;
  if (other !== undefined || isOld)
    return { id: "story-made-on", args: { ...args, other: other?.labels[0]?.text ?? "none" } };
  if (isOlder(index, index.tensors[id])) return { id: "story-made-earlier", args };
  const contents = state.storages.get(storage)?.contents;
  const isSet = !UNINITIALISED.test(state.stop.step.name ?? "");
  const value = isSet ? valueIn(geometry, contents) : "none";
  return { id: "story-made", args: { ...args, value } };
}

/**
 * The sentence about the operator that computed the first NaN of the run, if it ran in this step.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function firstNan(index, { before, tick }) {
  const first = firstNanIn(index);
  if (first === null || first.tick <= before || first.tick > tick) return [];
  const { id, name = "?" } = first.operator;
  return [{ id: "story-first-nan", args: { operator: name, line: placeOfStep(index, id) } }];
}
