/**
 * Owns the parts of a value with several sources: the gradients that were added, or the inputs of an
 * operator. A chain follows one part, and the visitor can choose another part. Pure.
 */

import { placeOfStep } from "../../run/places.js";
import { shortName } from "../../run/values/format.js";
import { isNonfinite } from "../../run/values/nonfinite.js";
import { smallOf } from "../../run/values/recorded.js";
import { both, isClose } from "../../run/values/small-tensor.js";
import { written } from "./why-values.js";

/** @import {Contents, Gradient} from "../../run/trace.d.ts" */
/** @import {Choice} from "../../run/stops/why-address.js" */
/** @import {Index, Sentence} from "../../run/types.d.ts" */
/** @import {Small} from "../../run/values/small-tensor.js" */

/**
 * `choices`: the choices with which the chain follows this part.
 * @typedef {{value: string, from: Sentence | null, choices: Choice[]}} Part
 */
/**
 * `followed`: the index of the followed part; null: the chain ends here. `total`: the sum, if the sum was
 * recomputed.
 * @typedef {{sign: "+" | ",", each: Part[], followed: number | null, total: string | null}} Parts
 */
/** @typedef {{followed: number | null, choicesTo: (part: number) => Choice[]}} Branch */
/**
 * Called for each branch of a chain, in order.
 * @typedef {(count: number, otherwise: number | null) => Branch} Branching
 */

/**
 * Relative tolerances: half a digit less than the dtype's precision, because a product may be summed in
 * another order.
 */
const TOLERANCE = /** @type {Readonly<Record<string, number>>} */ ({
  float64: 1e-9,
  float32: 1e-4,
  float16: 1e-2,
  bfloat16: 6e-2,
});
/** The dtypes in which a recomputed sum is rounded like torch's sum. */
const EXACT = ["float32", "float64"];

/**
 * The parts that a chain follows at its branches: the chosen parts, else the default parts.
 * @param {readonly Choice[]} choices
 * @returns {Branching}
 */
export function branching(choices) {
  let count = 0;
  return (parts, otherwise) => {
    const branch = count++;
    const chosen = choices.find(([at]) => at === branch)?.[1];
    return {
      followed: chosen !== undefined && chosen < parts ? chosen : otherwise,
      choicesTo: (part) => [...choices.filter(([at]) => at < branch), [branch, part]],
    };
  };
}

/**
 * The gradient that a chain follows by default: the first non-finite gradient, else a gradient with a name.
 * @param {readonly Gradient[]} gradients
 * @param {number} otherwise
 */
export function worstOf(gradients, otherwise) {
  const place = gradients.findIndex(({ value }) => isNonfinite(value));
  return place < 0 ? otherwise : place;
}

/**
 * Whether autograd adds the given gradients. Gradients for different outputs of a Node are not added.
 * @param {readonly Gradient[]} gradients
 */
export function isSum(gradients) {
  return gradients.every(({ input_nr }) => input_nr === gradients[0]?.input_nr);
}

/**
 * The parts for the gradients that a Node received.
 * @param {Index} index
 * @param {readonly Gradient[]} gradients
 * @param {Branch} branch
 * @param {string | null} total
 * @returns {Parts}
 */
export function partsOf(index, gradients, { followed, choicesTo }, total) {
  const each = gradients.map(({ value, shape, node }, place) => ({
    value: written(value, shape),
    from: fromNode(index, node),
    choices: choicesTo(place),
  }));
  return { sign: isSum(gradients) ? "+" : ",", each, followed, total };
}

/**
 * @param {Index} index
 * @param {number | null} id null: backward began with the gradient
 * @returns {Sentence}
 */
function fromNode(index, id) {
  const node = index.nodes[id ?? -1];
  return node === undefined
    ? { id: "why-from-root", args: {} }
    : { id: "why-from", args: { node: shortName(node.name), line: placeOfStep(index, node.made_by) } };
}

/**
 * The sum of gradients as a small tensor; null if the gradients are large, not known, or not added.
 * @param {readonly Gradient[]} gradients
 * @returns {Small | null}
 */
export function added(gradients) {
  if (!isSum(gradients)) return null;
  const [first, ...others] = gradients.map(({ value, shape }) => smallOf(value, shape));
  return others.reduce((sum, each) => (sum && each ? both(sum, each, (a, b) => a + b) : null), first ?? null);
}

/**
 * The sum of gradients as text; null if it is not known to the printed precision.
 * @param {readonly Gradient[]} gradients
 */
export function totalOf(gradients) {
  const [sum, value] = [added(gradients), gradients[0]?.value];
  if (sum === null || value?.kind !== "cells" || !EXACT.includes(value.dtype)) return null;
  const values = sum.values.map((each) =>
    Number.isFinite(each) ? each : String(each).replace("Infinity", "inf").replace("NaN", "nan"),
  );
  return written({ ...value, values }, sum.shape);
}

/**
 * Whether a recomputed tensor equals the recorded tensor, up to rounding.
 * @param {Small} computed
 * @param {Contents} recorded
 * @param {number[]} shape of the recorded tensor
 */
export function isRecorded(computed, recorded, shape) {
  const expected = smallOf(recorded, shape);
  const tolerance = TOLERANCE[recorded.kind === "cells" ? recorded.dtype : ""] ?? 0;
  return expected !== null && isClose(computed, expected, tolerance);
}
