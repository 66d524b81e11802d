/** Owns the sentence about the value of a bare expression, which interactive Python would print. Pure. */

import { at } from "../../run/facts.js";
import { clip } from "../../run/values/format.js";
import { literal } from "../../run/legible.js";
import { shapeIn, valueIn } from "./phrases.js";
import { sharers } from "./of-writes.js";

/** @import {Index, Sentence, State} from "../../run/types.d.ts" */

/** The maximum number of characters of a value that is not a tensor. */
const MOST = 48;

/**
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function result(index, state) {
  const found = state.stop.kind === "statement" ? state.stop.step.result : undefined;
  if (found == null) return [];
  if (typeof found === "number") return isChanged(index, state, found) ? [] : [ofTensor(index, state, found)];
  const { kind = "value", text } = found;
  const isTold = (kind === "value" || kind === "collection") && text !== undefined;
  return isTold ? [{ id: "story-result-value", args: { text: literal(clip(text, MOST)) } }] : [];
}

/**
 * Whether the statement changed the tensor, which existed before. A change of an existing tensor has other
 * sentences.
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 */
function isChanged(index, { stop, tick, writes }, id) {
  const { born = 0, geometry, requires_grad } = index.tensors[id] ?? {};
  const isFresh = (/** @type {number} */ since) => since >= stop.step.began && since <= tick;
  const storage = at(geometry, tick)?.storage ?? null;
  const isWritten = storage !== null && writes.some((write) => write.storage === storage);
  const isOther = [geometry, requires_grad].some((facts) => facts?.some(([since]) => isFresh(since)));
  return !isFresh(born) && (isWritten || isOther);
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 * @returns {Sentence}
 */
function ofTensor(index, state, id) {
  const geometry = at(index.tensors[id]?.geometry, state.tick) ?? null;
  const storage = geometry?.storage ?? null;
  const contents = storage === null ? undefined : at(index.storages[storage]?.contents, state.tick);
  const value = valueIn(geometry, contents);
  const name = state.tensors.get(id)?.labels[0]?.text;
  if (name !== undefined) return { id: "story-result-named", args: { name, value } };
  const shape = shapeIn(geometry);
  if (storage === null) return { id: "story-result-bare", args: { shape, value } };
  const other = sharers(index, state, storage, id)[0]?.labels[0]?.text ?? "none";
  return { id: "story-result-tensor", args: { shape, storage: `S${storage}`, other, value } };
}
