/**
 * Owns the phrases that are arguments of sentences: the name of a tensor, a Node, a saved tensor, a shape, a
 * list. Pure.
 */

import { clip, clipName, hasShape, isValue, shapeOf, shortName } from "../../run/values/format.js";
import { at } from "../../run/facts.js";
import { literal } from "../../run/legible.js";
import { everName } from "../../run/naming/naming.js";
import { placeOfStep } from "../../run/places.js";
import { shown } from "../../run/values/shown.js";
import { READ, spelt } from "../values.js";

/** @import {Contents, Geometry, SavedTensor, Write} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State} from "../../run/types.d.ts" */

/** The maximum number of characters of a name or a shape in a sentence that has several of them. */
const MOST_OF_NAME = 24;

/**
 * The phrase for a tensor at a stop: its name in code format. A tensor without a name at the stop is called
 * by the name that it had: "the tensor formerly called `x`".
 * @param {Index} index
 * @param {State} state
 * @param {number | null | undefined} tensor
 * @returns {Sentence}
 */
export function called(index, state, tensor) {
  const name = tensor == null ? undefined : state.tensors.get(tensor)?.labels[0]?.text;
  if (name !== undefined) return code(name);
  const once = everName(index, tensor ?? null);
  return once === undefined
    ? { id: "phrase-unnamed", args: {} }
    : { id: "phrase-once", args: { name: once } };
}

/**
 * @param {string} text
 * @returns {Sentence}
 */
export function code(text) {
  return { id: "phrase-code", args: { text } };
}

/**
 * The phrase for a Node, with the line that made it, because many Nodes have the same name.
 * @param {Index} index
 * @param {number | null | undefined} id
 * @returns {Sentence}
 */
export function nodeOf(index, id) {
  const node = index.nodes[id ?? -1];
  return {
    id: "phrase-node",
    args: { node: shortName(node?.name ?? "?"), line: placeOfStep(index, node?.made_by) },
  };
}

/**
 * The values of a tensor as text within a sentence; "none" if they are too many or unknown.
 * @param {Geometry | null} geometry
 * @param {Contents | null | undefined} contents of its storage
 */
export function valueIn(geometry, contents) {
  const text = geometry !== null && contents && hasShape(geometry) ? shown(geometry, contents, READ) : "?";
  return isValue(text) ? literal(spelt(text)) : "none";
}

/**
 * The shape of a tensor as text within a sentence; "none" if torch reports no shape, "scalar" for a tensor
 * without dimensions.
 * @param {Geometry | null} geometry
 */
export function shapeIn(geometry) {
  if (geometry === null || !hasShape(geometry)) return "none";
  return geometry.shape.length === 0 ? "scalar" : clip(shapeOf(geometry), MOST_OF_NAME);
}

/**
 * The phrase for a saved tensor of a Node: its name in the Node (`self`), the name of the tensor, and the
 * tensor's version when it was saved.
 * @param {Index} index
 * @param {State} state
 * @param {SavedTensor} saved
 * @returns {Sentence}
 */
export function slot(index, state, saved) {
  const name =
    (saved.tensor === null ? undefined : state.tensors.get(saved.tensor)?.labels[0]?.text) ??
    everName(index, saved.tensor);
  const number = name === undefined && saved.tensor === null ? numberOf(index, saved) : undefined;
  const told = name === saved.name ? undefined : (name ?? number);
  return {
    id: "phrase-saved",
    args: {
      slot: told === undefined ? saved.name : `${saved.name} = ${clipName(told, MOST_OF_NAME)}`,
      version: number === undefined ? (saved.version ?? -1) : -1,
    },
  };
}

/**
 * The value of a saved tensor that torch made of a Python number, such as the 2 in `x * 2`.
 * @param {Index} index
 * @param {SavedTensor} saved
 */
function numberOf(index, { geometry, tick }) {
  if (geometry.storage === null || geometry.shape.length > 0) return undefined;
  const value = shown(geometry, at(index.storages[geometry.storage]?.contents, tick), READ);
  return isValue(value) ? spelt(value) : undefined;
}

/**
 * Shortens a list to at most `most` items, followed by a phrase such as "3 more".
 * @param {Sentence[]} things
 * @param {number} most
 * @returns {Sentence[]}
 */
export function row(things, most) {
  if (things.length <= most + 1) return things;
  return [...things.slice(0, most), { id: "phrase-more", args: { count: things.length - most } }];
}

/**
 * The sentence about the line of a write that happened in a library, whose statements the recording does not
 * contain.
 * @param {Index} index
 * @param {Write} write
 * @returns {Sentence[]}
 */
export function writtenFrom(index, { place, step }) {
  return place == null ? [] : [{ id: "story-wrote-from", args: { line: placeOfStep(index, step) } }];
}
