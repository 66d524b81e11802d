/**
 * Owns the comparison of two runs: the states at an aligned step, and the navigation between aligned steps.
 * Pure.
 */

import { aligningSteps, otherLines, pairedLines, reachedAt } from "./alignment.js";
import { stopIndexOf } from "../../run/stops/stop-index.js";
import { constructionsOf, runsOfPassed, isPassed } from "../../run/stops/constructions.js";
import { pairedNodes } from "./graph-differences.js";
import { inOtherRound } from "../../run/stops/loops.js";
import { perRun } from "../../run/per-run.js";
import { stateAt } from "../../run/state-at.js";
import { withGranularity } from "../../run/stops/granularity.js";
import { finished } from "../../run/slices.js";
import { firstWhere } from "../../run/sorted.js";

/** @import {Constructions} from "../../run/stops/constructions.js" */
/** @import {Compared, Comparison, Sides, State, Granularity} from "../../run/types.d.ts" */

export const SIDES = /** @type {const} */ (["left", "right"]);
/** @typedef {(typeof SIDES)[number]} SideName */

/**
 * Makes a comparison of two runs by aligning their lines and steps. Works in slices.
 * @template {Compared} Run
 * @param {Run} left
 * @param {Run} right
 * @returns {Generator<void, Comparison<Run>>}
 */
export function* comparing(left, right) {
  const sources = /** @type {const} */ ([left.index.source, right.index.source]);
  const pairs = pairedLines(...sources);
  yield;
  const steps = yield* aligningSteps(left.index, right.index, pairs);
  yield;
  const nodes = pairedNodes(left.index, right.index, pairs);
  yield;
  return {
    left,
    right,
    pairs,
    steps,
    reached: reachedAt(steps),
    lines: otherLines(...sources, pairs),
    nodes,
  };
}

/**
 * The same comparison at another granularity, and its aligned step that corresponds to step `m` of the given
 * comparison.
 * @template {Compared} Run
 * @param {Comparison<Run>} both
 * @param {Granularity} granularity
 * @param {number} m
 * @returns {{both: Comparison<Run>, m: number}}
 */
export function bothWithGranularity(both, granularity, m) {
  const [left, right] = [
    { ...both.left, index: withGranularity(both.left.index, granularity) },
    { ...both.right, index: withGranularity(both.right.index, granularity) },
  ];
  const steps = finished(aligningSteps(left.index, right.index, both.pairs));
  const next = { ...both, left, right, steps, reached: reachedAt(steps) };
  const side = movingSideAt(both, m);
  const id = both[side].index.stops[both.reached[side][m] ?? -1]?.step.id;
  return { both: next, m: alignedStepOf(next, side, next[side].index.stop_of.get(id ?? -1) ?? 0) };
}

/**
 * The side whose run advances in a step; the left side if both runs advance.
 * @param {Comparison} both
 * @param {number} m
 * @returns {SideName}
 */
function movingSideAt(both, m) {
  return both.steps[m]?.left == null ? "right" : "left";
}

/**
 * The first aligned step at which one of the runs has reached its stop `k`.
 * @param {Comparison} both
 * @param {SideName} side
 * @param {number} k
 */
export function alignedStepOf({ reached }, side, k) {
  return firstWhere(Math.max(0, reached[side].length - 1), (m) => (reached[side][m] ?? 0) >= k);
}

/**
 * The state of each run at an aligned step; null before the run's first stop. If a run does not advance in
 * this step, its state contains no changes.
 * @param {Comparison} both
 * @param {number} m
 * @returns {Sides<State | null>}
 */
export function statesAt(both, m) {
  const of = (/** @type {SideName} */ side) => {
    const k = both.reached[side][m] ?? -1;
    return k < 0 ? null : stateAt(both[side].index, k, both.steps[m]?.[side] === null);
  };
  return { left: of("left"), right: of("right") };
}

/** The ranges of aligned steps that belong to the construction of a Module in each run that advances. */
export const constructionsOfBoth = perRun((/** @type {Comparison} */ { left, right, steps }) => {
  const [ofLeft, ofRight] = [constructionsOf(left.index), constructionsOf(right.index)];
  const isOutside = (/** @type {Constructions} */ { innermost, shown }, /** @type {number | null} */ k) =>
    k !== null && ((innermost[k] ?? -1) < 0 || shown.has(k));
  return runsOfPassed(steps.map((step) => !isOutside(ofLeft, step.left) && !isOutside(ofRight, step.right)));
});

/**
 * The next or previous step that completes a statement.
 * @param {Comparison} both
 * @param {number} m
 * @param {1 | -1} direction
 */
export function statementFrom(both, m, direction) {
  const constructions = constructionsOfBoth(both);
  for (let at = m + direction; at >= 0 && at < both.steps.length; at += direction) {
    const side = movingSideAt(both, at);
    if (isPassed(constructions, at, m)) continue;
    const kind = both[side].index.stops[both.steps[at]?.[side] ?? -1]?.kind;
    if (kind === "statement" || kind === "exception") return at;
  }
  return direction === 1 ? both.steps.length - 1 : 0;
}

/**
 * The steps at which findings of either run appear, in order.
 * @param {Comparison} both
 */
export function warningsOf(both) {
  return SIDES.flatMap((side) =>
    stopIndexOf(both[side].index).warned.map((k) => alignedStepOf(both, side, k)),
  ).sort((a, b) => a - b);
}

/**
 * The aligned step of the same statement in the next or previous round of the loop; undefined: there is
 * none.
 * @param {Comparison} both
 * @param {number} m
 * @param {1 | -1} direction
 * @returns {number | undefined}
 */
export function roundFrom(both, m, direction) {
  for (const side of [movingSideAt(both, m), ...SIDES]) {
    const k = inOtherRound(both[side].index, both.reached[side][m] ?? -1, direction);
    if (k !== undefined) return alignedStepOf(both, side, k);
  }
  return undefined;
}
