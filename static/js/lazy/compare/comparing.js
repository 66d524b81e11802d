/** Owns in what the runs differ that stand side by side: now, in the end, and at which steps. */

import { computed, effect, signal } from "../../../vendor/ui.js";
import { replay, step } from "../../state/store.js";
import { ComparisonReplay } from "./comparison-replay.js";
import { statesAt } from "./comparison.js";
import { differAt, differencesAt } from "./differences.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {ComparedRuns} from "./comparison-replay.js" */

/** The comparison that is shown. */
export const comparison = computed(() => (replay.value instanceof ComparisonReplay ? replay.value : null));
const both = computed(() => comparison.value?.both ?? null);

/** What both runs show; null before the first stop of one. */
export const states = computed(() => (both.value === null ? null : statesAt(both.value, step.value)));

/** In what they differ now. */
export const differences = computed(() => at(both.value, step.value));
/** In what they differ in the end. */
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

/** How long one look through the steps may take before the page has its turn. */
const SLICE_MS = 8;

/**
 * The steps at which the runs differ, as far as they have been looked through.
 * @type {Signal<number[]>}
 */
export const differing = signal([]);
const steps = computed(() => both.value?.steps ?? []);
effect(() => {
  differing.value = [];
  lookThrough(steps.value, 0, []);
});

/**
 * @param {ComparedRuns["steps"]} aligned
 * @param {number} from
 * @param {number[]} found
 */
function lookThrough(aligned, from, found) {
  const runs = both.peek();
  if (runs?.steps !== aligned) return;
  const until = performance.now() + SLICE_MS;
  let m = from;
  for (; m < aligned.length && performance.now() < until; m += 1) {
    if (differAt(sidesAt(runs, m), runs.nodes)) found.push(m);
  }
  // the first at once, then all
  if (found.length > 0 && (differing.peek().length === 0 || m === aligned.length))
    differing.value = [...found];
  // Safari has no idle callbacks
  if (m < aligned.length)
    (globalThis.requestIdleCallback ?? setTimeout)(() => lookThrough(aligned, m, found));
}
