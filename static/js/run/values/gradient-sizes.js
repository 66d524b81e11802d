/**
 * Owns the sizes of gradients, and the leaf from which the gradients of a backward vanish. Pure.
 */

import { grouped } from "../grouped.js";
import { element } from "./format.js";
import { perRun, perTrace } from "../per-run.js";

/** @import {Contents, Gradient, Value} from "../trace.d.ts" */
/** @import {Index, Run} from "../types.d.ts" */

/** A gradient has vanished if it is below this fraction of the largest gradient before it. */
const VANISHED = 1 / 1000;
/** The minimum number of leaves for which vanishing gradients are reported. */
const LEAST_LEAVES = 3;

/**
 * The largest absolute value in a gradient; NaN if the gradient contains NaN, -1 if it is not known.
 * @param {Gradient} gradient
 */
export function largestIn({ value }) {
  return largestOf(value);
}

/** The largest absolute value in recorded contents; NaN if they contain NaN, -1 if it is not known. */
export const largestOf = perRun((/** @type {Contents} */ value) => {
  if (value.kind === "unknown") return -1;
  if (value.kind === "summary" && value.nan_count > 0) return NaN;
  if (value.kind === "summary" && value.inf_count > 0) return Infinity;
  const values = value.kind === "cells" ? value.values : [value.min, value.max];
  return values.reduce((/** @type {number} */ most, each) => Math.max(most, sizeOf(each)), -1);
});

/** @param {Value | null} value */
function sizeOf(value) {
  if (value === null) return -1;
  if (Array.isArray(value)) return Math.hypot(...value.map(Number));
  const number = typeof value === "string" ? Number(value.replace("inf", "Infinity")) : Number(value);
  return Math.abs(number);
}

/**
 * The text of a gradient's size, with three significant digits.
 * @param {number} size
 */
export function printedSize(size) {
  if (Number.isNaN(size)) return "nan";
  return size === Infinity ? "inf" : element(Number(size.toPrecision(3)), "float32");
}

/** @typedef {{leaf: number, node: number, tick: number, size: number}} Arrival of a gradient at a leaf */
/**
 * @typedef {{first: Arrival, largest: Arrival}} Vanishing the first vanished arrival, and the
 *   largest before it
 */

/**
 * The leaf from which gradients vanish, in the first backward that has one; null if none has. Gradients
 * vanish from a leaf on if they are, for it and all later leaves, below a thousandth of the largest earlier
 * gradient. A single leaf at the end does not count, because the gradient of a bias is zero if a BatchNorm
 * follows.
 */
export const vanishingOf = perTrace((/** @type {Index} */ index) => {
  const ofLeaves = index.runs.filter(({ node }) => index.nodes[node]?.variable !== undefined);
  for (const [statement, runs] of grouped(ofLeaves, (run) => run.statement)) {
    const found = vanishingIn(arrivalsOf(index, statement, runs));
    if (found !== null) return found;
  }
  return null;
});

/**
 * @param {Arrival[]} arrivals oldest first
 * @returns {Vanishing | null}
 */
function vanishingIn(arrivals) {
  if (arrivals.length < LEAST_LEAVES || arrivals.some(({ size }) => !Number.isFinite(size))) return null;
  let [first, largest] = [-1, 0];
  for (const [at, { size }] of arrivals.entries()) {
    const most = arrivals[largest]?.size ?? 0;
    if (size >= VANISHED * most) first = -1;
    else if (first < 0) first = at;
    if (size > most) largest = at;
  }
  const [small, large] = [arrivals[first], arrivals[largest]];
  if (small === undefined || large === undefined || small === arrivals.at(-1)) return null;
  return { first: small, largest: large };
}

/**
 * The gradients of those leaves that received exactly one gradient in a backward. Leaves that received
 * several gradients are left out, because only the sum of these gradients counts.
 * @param {Index} index
 * @param {number} statement
 * @param {Run[]} runs of AccumulateGrads
 * @returns {Arrival[]}
 */
function arrivalsOf(index, statement, runs) {
  /** @type {Map<number, Gradient[]>} */
  const sent = new Map(runs.map(({ node }) => [node, []]));
  for (const gradient of index.lookups.gradients_of()(statement).upTo(Infinity))
    sent.get(gradient.to ?? -1)?.push(gradient);
  return runs.flatMap(({ node, ended }) => {
    const [only, ...others] = sent.get(node) ?? [];
    const leaf = index.nodes[node]?.variable;
    const size = only === undefined || others.length > 0 ? -1 : largestIn(only);
    return leaf === undefined || size < 0 ? [] : [{ leaf, node, tick: ended, size }];
  });
}
