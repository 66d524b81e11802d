/** Owns the format of values within a sentence. Pure. */

import { isValue, nested, tuple } from "../run/values/format.js";

/** @import {Contents} from "../run/trace.d.ts" */
/** @import {Sentence} from "../run/types.d.ts" */

/** The maximum length of values within a sentence. */
export const READ = 24;

/**
 * Values within a sentence. A single number is written as `2.0`, because the point of `2.` would look like
 * the end of a sentence.
 * @param {string} text
 */
export function spelt(text) {
  return text.endsWith(".") ? `${text}0` : text;
}

/**
 * The values of a small gradient, or the shape of a larger gradient. For a nested tensor neither values nor
 * shape are known, and `[]` represents the shape.
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
