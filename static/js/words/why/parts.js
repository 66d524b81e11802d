/**
 * Owns the branches of a "Why?" chain. A value may have several parts: gradients that were added, or inputs
 * of an operator. The chain follows one part, and the visitor can choose another. Pure.
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
 * A part of a value, such as one of the gradients that were added. `choices`: the choices at branches that
 * make the chain follow this part.
 * @typedef {{value: string, from: Sentence | null, choices: Choice[]}} Part
 */
/**
 * The parts of a value, such as the gradients that were added. `followed`: the index of the part that the
 * chain follows; null if the chain ends here. `total`: the sum of the parts, if it was recomputed.
 * @typedef {{sign: "+" | ",", each: Part[], followed: number | null, total: string | null}} Parts
 */
/** @typedef {{followed: number | null, choicesTo: (part: number) => Choice[]}} Branch */
/**
 * A function that is called for each branch of a chain, in order, and says which part the chain follows.
 * @typedef {(count: number, otherwise: number | null) => Branch} Branching
 */

/**
 * The relative tolerances with which a recomputed gradient must equal the recorded one. Torch may add up the
 * terms of a product in another order.
 */
const TOLERANCE = /** @type {Readonly<Record<string, number>>} */ ({
  float64: 1e-9,
  float32: 1e-4,
  float16: 1e-2,
  bfloat16: 6e-2,
});
/** The dtypes in which a recomputed sum has the printed digits of torch's sum. */
const EXACT = ["float32", "float64"];

/**
 * Makes a function that states which part the chain follows at each branch: the visitor's choice, or else the
 * default.
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
 * The index of the gradient that a chain follows by default: the first non-finite gradient, or else
 * `otherwise`.
 * @param {readonly Gradient[]} gradients
 * @param {number} otherwise
 */
export function worstOf(gradients, otherwise) {
  const place = gradients.findIndex(({ value }) => isNonfinite(value));
  return place < 0 ? otherwise : place;
}

/**
 * Whether autograd adds gradients that a Node received: only if they are for the same output of the forward
 * operator.
 * @param {readonly Gradient[]} gradients
 */
export function isSum(gradients) {
  return gradients.every(({ input_nr }) => input_nr === gradients[0]?.input_nr);
}

/**
 * The gradients that a Node received as parts of a value, among which the visitor can choose.
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
 * The sum of gradients as a tensor of numbers; null if they are too large, unknown, or not added by
 * autograd.
 * @param {readonly Gradient[]} gradients
 * @returns {Small | null}
 */
export function added(gradients) {
  if (!isSum(gradients)) return null;
  const [first, ...others] = gradients.map(({ value, shape }) => smallOf(value, shape));
  return others.reduce((sum, each) => (sum && each ? both(sum, each, (a, b) => a + b) : null), first ?? null);
}

/**
 * The sum of gradients as text; null if it is unknown or its printed digits may differ from torch's.
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
