/**
 * Owns which sizes and dtypes of tensors did not match in an operator that raised an error. The mismatches
 * are taken from the findings of the run. Pure.
 */

import { addTo } from "../grouped.js";
import { shortDtype } from "./format.js";
import { perTrace } from "../per-run.js";
import { NOT } from "./wrong-gradients.js";

/** @import {Clash} from "../trace.d.ts" */
/** @import {Index, State, TensorState} from "../types.d.ts" */

/**
 * @typedef {{dimension: number | null, actual: string, other: string}} Clashing `dimension`: null for the
 *   dtype
 */

const clashesIn = perTrace((/** @type {Index} */ index) => {
  /** @type {Map<number, (Clash & {from: number})[]>} */
  const found = new Map();
  for (const { tick, clashes = [] } of index.findings)
    for (const clash of clashes) addTo(found, clash.tensor, { ...clash, from: tick });
  return found;
});

/**
 * The sizes or the dtype of a tensor that did not match in an operator, if the error was raised before or at
 * the stop.
 * @param {Index} index
 * @param {State} state
 * @param {TensorState} tensor
 * @returns {Clashing[]}
 */
export function clashesOf(index, { tick }, { id, geometry }) {
  return (clashesIn(index).get(id) ?? []).flatMap(({ from, dimension = null, other }) => {
    const actual = dimension === null ? geometry?.dtype : geometry?.shape[dimension];
    return from > tick || actual === undefined ? [] : [{ dimension, actual: String(actual), other }];
  });
}

/**
 * The text of a mismatch: `3 ≠ 4`, `float32 ≠ float64`, or `f32 ≠ f64` if the longer text does not fit.
 * @param {Clashing} clash
 * @param {number} [most] maximum number of characters
 * @returns {{actual: string, text: string}} `actual`: the beginning of the text
 */
export function clashText({ actual, other }, most = Infinity) {
  const text = `${actual} ${NOT} ${other}`;
  if (text.length <= most) return { actual, text };
  const short = shortDtype(actual);
  return { actual: short, text: `${short} ${NOT} ${shortDtype(other)}` };
}
