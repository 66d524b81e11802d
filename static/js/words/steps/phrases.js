/** Owns the phrases within sentences: the name of a tensor, a gradient, a shape, a list. Pure. */

import { clip, clipName, hasShape, isValue, shapeOf, shortName } from "../../run/values/format.js";
import { at } from "../../run/facts.js";
import { literal } from "../../run/legible.js";
import { everName } from "../../run/naming/naming.js";
import { placeOfStep } from "../../run/places.js";
import { shown } from "../../run/values/shown.js";
import { READ, spelt } from "../values.js";

/** @import {Contents, Geometry, SavedTensor, Write} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State} from "../../run/types.d.ts" */

/** The maximum length of a name or a shape in a sentence with several names or shapes. */
const MOST_OF_NAME = 24;

/**
 * The name of a tensor at a stop. If the name is bound to another tensor by that stop, the phrase calls it a
 * former name.
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
 * A Node and the line that made it, because many Nodes have the same name.
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
 * The values of a tensor within a sentence; "none" if there are many or if they are unknown.
 * @param {Geometry | null} geometry
 * @param {Contents | null | undefined} contents of its storage
 */
export function valueIn(geometry, contents) {
  const text = geometry !== null && contents && hasShape(geometry) ? shown(geometry, contents, READ) : "?";
  return isValue(text) ? literal(spelt(text)) : "none";
}

/**
 * The shape within a sentence. "none": torch reports no shape; "scalar": the tensor has no dimensions.
 * @param {Geometry | null} geometry
 */
export function shapeIn(geometry) {
  if (geometry === null || !hasShape(geometry)) return "none";
  return geometry.shape.length === 0 ? "scalar" : clip(shapeOf(geometry), MOST_OF_NAME);
}

/**
 * A saved tensor of a Node: the attribute, the name of the tensor, and its version when it was saved.
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
 * The value of a tensor that torch made of a number, such as the 2 in `x * 2`. Such a tensor is not a Tensor
 * of the program.
 * @param {Index} index
 * @param {SavedTensor} saved
 */
function numberOf(index, { geometry, tick }) {
  if (geometry.storage === null || geometry.shape.length > 0) return undefined;
  const value = shown(geometry, at(index.storages[geometry.storage]?.contents, tick), READ);
  return isValue(value) ? spelt(value) : undefined;
}

/**
 * A list that ends with "3 more" if there are too many items.
 * @param {Sentence[]} things
 * @param {number} most
 * @returns {Sentence[]}
 */
export function row(things, most) {
  if (things.length <= most + 1) return things;
  return [...things.slice(0, most), { id: "phrase-more", args: { count: things.length - most } }];
}

/**
 * The sentence with the line of a write in code that the recording does not follow. The line differs from
 * the line of the statement.
 * @param {Index} index
 * @param {Write} write
 * @returns {Sentence[]}
 */
export function writtenFrom(index, { place, step }) {
  return place == null ? [] : [{ id: "story-wrote-from", args: { line: placeOfStep(index, step) } }];
}
