/**
 * Owns the differences of the comparison that is shown: at the step, at the end, and the list of differing
 * steps.
 */

import { computed, effect, signal } from "../../../vendor/ui.js";
import { replay, states as shownStates, step } from "../../state/store.js";
import { ComparisonReplay } from "./comparison-replay.js";
import { statesAt } from "./comparison.js";
import { differAt, differencesAt } from "./differences.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {ComparedRuns} from "./comparison-replay.js" */

/** The comparison that is shown. */
export const comparison = computed(() => (replay.value instanceof ComparisonReplay ? replay.value : null));
const both = computed(() => comparison.value?.both ?? null);

/** The states of both runs; null before the first stop of one. */
export const states = computed(() => {
  const [left = null, right = null] = shownStates.value;
  return both.value === null ? null : { left, right };
});

/** The differences at the step. */
export const differences = computed(() => at(both.value, step.value));
/** The differences at the last step. */
export const outcome = computed(() => at(both.value, (both.value?.steps.length ?? 0) - 1));

/**
 * @param {ComparedRuns | null} runs
 * @param {number} m
 */
function at(runs, m) {
  return runs === null ? null : differencesAt(sidesAt(runs, m), runs.nodes);
}

/**
 * @param {ComparedRuns} runs
 * @param {number} m
 */
function sidesAt(runs, m) {
  const now = statesAt(runs, m);
  return {
    left: { index: runs.left.index, state: now.left },
    right: { index: runs.right.index, state: now.right },
  };
}

/** How long one slice of the search for differences may block the page. */
const SLICE_MS = 8;

/**
 * The steps at which the runs differ, as far as they have been searched.
 * @type {Signal<number[]>}
 */
export const differing = signal([]);
const steps = computed(() => both.value?.steps ?? []);
effect(() => {
  differing.value = [];
  searchFrom(steps.value, 0, []);
});

/**
 * @param {ComparedRuns["steps"]} aligned
 * @param {number} from
 * @param {number[]} found
 */
function searchFrom(aligned, from, found) {
  const runs = both.peek();
  if (runs?.steps !== aligned) return;
  const until = performance.now() + SLICE_MS;
  let m = from;
  for (; m < aligned.length && performance.now() < until; m += 1) {
    if (differAt(sidesAt(runs, m), runs.nodes)) found.push(m);
  }
  // publish the first difference at once, the rest at the end
  if (found.length > 0 && (differing.peek().length === 0 || m === aligned.length))
    differing.value = [...found];
  // Safari has no requestIdleCallback
  if (m < aligned.length) (globalThis.requestIdleCallback ?? setTimeout)(() => searchFrom(aligned, m, found));
}
