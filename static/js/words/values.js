/** Owns the format of tensor values and gradients within a sentence. Pure. */

import { isValue, nested, tuple } from "../run/values/format.js";

/** @import {Contents} from "../run/trace.d.ts" */
/** @import {Sentence} from "../run/types.d.ts" */

/** The maximum number of characters of a tensor's values within a sentence. */
export const READ = 24;

/**
 * Writes a number as `2.0` instead of torch's `2.`, whose point would look like the end of the sentence.
 * @param {string} text
 */
export function spelt(text) {
  return text.endsWith(".") ? `${text}0` : text;
}

/**
 * The phrase for a gradient: its values if it is small, or else its shape. A nested tensor has the shape
 * `[]` here and unknown contents, so the phrase says that the gradient is unknown.
 * @param {Contents} contents
 * @param {number[]} shape
 * @returns {Sentence}
 */
export function gradient(contents, shape) {
  const value = nested(contents, shape, READ);
  if (isValue(value)) return { id: "phrase-gradient", args: { value: spelt(value) } };
  if (shape.length === 0 && contents.kind === "unknown") return { id: "phrase-gradient-unknown", args: {} };
  return { id: "phrase-gradient-shape", args: { shape: shape.length === 0 ? "scalar" : tuple(shape) } };
}
