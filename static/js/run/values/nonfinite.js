/**
 * Owns which NaN and infinite values of a run are errors, and where the first of them came from. A
 * non-finite value is an error only if a finding is about it, or if an operator of the forward computed it
 * from finite numbers. Masks contain infinities on purpose, and uninitialized memory may contain any value.
 * Pure.
 */

import { at } from "../facts.js";
import { firstNanIn } from "./first-nan.js";
import { nested } from "./format.js";
import { largestOf } from "./gradient-sizes.js";
import { perTrace } from "../per-run.js";
import { firstWhere } from "../sorted.js";

/** @import {Contents, Gradient} from "../trace.d.ts" */
/** @import {Index, State} from "../types.d.ts" */

/**
 * The first non-finite gradient and the Node that sent it, or else the first NaN of the forward and the Node
 * of its operator. `since`: the tick from which the forward had non-finite values, too; null if it had none.
 * @typedef {{
 *   node: number | null,
 *   tick: number,
 *   value: "nan" | "inf",
 *   since: number | null,
 *   isForward: boolean,
 * }} Birth
 */

/** @param {Contents | null | undefined} contents */
export function isNonfinite(contents) {
  return contents != null && contents.kind !== "unknown" && !Number.isFinite(largestOf(contents));
}

/** Where the first non-finite value that is an error came from; null if there is no such value. */
export const birthIn = perTrace((/** @type {Index} */ index) => inBackward(index) ?? inForward(index));

/**
 * @param {Index} index
 * @returns {Birth | null}
 */
function inForward(index) {
  const first = firstNanIn(index);
  return first && { node: first.node, tick: first.tick, value: "nan", since: null, isForward: true };
}

/**
 * @param {Index} index
 * @returns {Birth | null}
 */
function inBackward(index) {
  const finding = index.findings.find(({ kind }) => kind === "nan_gradient");
  const first = finding && index.gradients.find(({ value }) => isNonfinite(value));
  if (finding === undefined || first === undefined || first.node === null) return null;
  const { how, origin, node } = finding.arguments ?? {};
  const maker = how === "forward" ? (origin === "none" ? node : origin) : undefined;
  return {
    ...{ node: first.node, tick: first.tick, value: wordOf(first.value) },
    since: maker === undefined ? null : firstResult(index, maker),
    isForward: false,
  };
}

/**
 * The tick of the first non-finite result of the operator with a Node that has the given name.
 * @param {Index} index
 * @param {unknown} name
 */
function firstResult(index, name) {
  for (const node of index.nodes) {
    if (node.name !== name) continue;
    for (const { geometry, born } of index.lookups.results_of()(node.id)) {
      const made = index.steps[node.made_by ?? -1]?.ended ?? born;
      const storage = at(geometry, made)?.storage ?? -1;
      if (isNonfinite(at(index.storages[storage]?.contents, made))) return Math.min(born, node.born);
    }
  }
  return null;
}

/** @param {Contents} contents */
export function wordOf(contents) {
  return Number.isNaN(largestOf(contents)) ? "nan" : "inf";
}

/**
 * Whether a gradient contains a NaN or an infinity that is an error.
 * @param {Index} index
 * @param {Gradient} gradient
 */
export function isOdd(index, { value }) {
  return birthIn(index) !== null && isNonfinite(value);
}

/**
 * A gradient as text. If the text has only the shape, "nan" or "inf" is added for a gradient that is not
 * finite.
 * @param {Index} index
 * @param {{value: Contents, shape: number[]}} gradient
 * @param {number} [most] maximum number of characters
 */
export function gradientText(index, { value, shape }, most) {
  const text = nested(value, shape, most);
  return birthIn(index) === null || !isNonfinite(value) || /nan|inf/.test(text)
    ? text
    : `${text} ${wordOf(value)}`;
}

/**
 * Returns a function that states which printed values of a storage are errors at a stop; null if none is.
 * @param {Index} index
 * @param {State} state
 * @param {number} storage
 * @returns {((text: string) => boolean) | null}
 */
export function oddIn(index, { tick }, storage) {
  const birth = birthIn(index);
  const facts = index.storages[storage]?.contents ?? [];
  const [written, contents] = facts[firstWhere(facts.length, (k) => (facts[k]?.[0] ?? 0) > tick) - 1] ?? [];
  if (birth === null || written === undefined || !isNonfinite(contents)) return null;
  const tensors = index.lookups.tensors_in()(storage);
  const isGrad = tensors.some(({ id }) => index.lookups.owners_of()(id).length > 0);
  if (written >= birth.tick) return isGrad ? isAny : isNan;
  const isMade = tensors.some(({ grad_fn }) => at(grad_fn, tick)?.kind === "grad_fn");
  return birth.since !== null && written >= birth.since && isMade ? isAny : null;
}

/** @param {string} text */
function isNan(text) {
  return text.includes("nan");
}

/** @param {string} text */
function isAny(text) {
  return /nan|inf/.test(text);
}
