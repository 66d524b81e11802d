/**
 * Lists the differences of two runs at an aligned step, and the items of both pictures to mark on each side.
 * Pure.
 */

import { ofGraph } from "./graph-differences.js";
import { namedIn, ofTensor, PAUSE } from "./tensor-differences.js";

/** @import {ComparedState, Difference, Marked, Sides} from "../../run/types.d.ts" */
/** @import {PairedNodes} from "./graph-differences.js" */
/** @import {NamedTensor} from "./tensor-differences.js" */

/** @typedef {{list: Difference[], marked: Sides<Marked>}} Differences */

/** @returns {Marked} */
const noneMarked = () => ({
  tensors: new Set(),
  storages: new Set(),
  saved: new Set(),
  nodes: new Set(),
  holders: new Set(),
});

/**
 * The differences of two runs at an aligned step, gradients first, and the items to mark. Works in slices.
 * @param {Sides<ComparedState>} sides
 * @param {PairedNodes} nodes
 * @returns {Generator<void, Differences>}
 */
export function* findingDifferences(sides, nodes) {
  const marked = { left: noneMarked(), right: noneMarked() };
  const { named, names } = yield* namedIn(sides);
  const id = (/** @type {string} */ name) => named.left.get(name)?.id ?? named.right.get(name)?.id ?? 0;
  // In order of creation, so the gradient that was computed first comes first.
  names.sort((a, b) => id(a) - id(b));
  /** @type {Difference[]} */
  const list = [];
  for (const difference of each(sides, nodes, named, names, marked))
    if (difference === undefined) yield;
    else list.push(difference);
  return { list: list.sort((a, b) => weight(a) - weight(b)), marked };
}

/**
 * Whether the states of two runs differ at all. Stops at the first difference. Works in slices.
 * @param {Sides<ComparedState>} sides
 * @param {PairedNodes} nodes
 * @returns {Generator<void, boolean>}
 */
export function* findingAny(sides, nodes) {
  const marked = { left: noneMarked(), right: noneMarked() };
  const { named, names } = yield* namedIn(sides);
  for (const difference of each(sides, nodes, named, names, marked))
    if (difference === undefined) yield;
    else return true;
  return false;
}

/**
 * Yields each difference, first those of named tensors, then those of the graph. Yields undefined wherever
 * the work may pause.
 * @param {Sides<ComparedState>} sides
 * @param {PairedNodes} nodes
 * @param {Sides<Map<string, NamedTensor>>} named
 * @param {string[]} names
 * @param {Sides<Marked>} marked
 * @returns {Generator<Difference | undefined, void>}
 */
function* each(sides, nodes, named, names, marked) {
  for (const [at, name] of names.entries()) {
    yield* ofTensor(sides, { left: named.left.get(name), right: named.right.get(name) }, name, marked);
    if (at % PAUSE === 0) yield undefined;
  }
  yield* ofGraph(sides, nodes, marked);
}

/**
 * The rank of a difference in the list: gradients first, then stale saved tensors, then values and versions.
 * @param {Difference} difference
 */
function weight({ name, aspect, left, right }) {
  if (aspect === "values") return name.endsWith(".grad") ? 0 : 2;
  if (aspect === "saved")
    return [left.id, right.id].some((id) => id === "differs-saved-silent" || id === "differs-saved-refused")
      ? 1
      : 5;
  return aspect === "version" ? 3 : aspect === "counter" || aspect === "memory" ? 4 : 6;
}
