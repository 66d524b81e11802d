/**
 * Owns the search for differences between the two compared runs: at the current step, at the last step, and
 * at which steps there are any.
 */

import { computed, effect, signal } from "../../../vendor/ui.js";
import { inSlices } from "../../io/slices.js";
import { replay, states as shownStates, step } from "../../state/store.js";
import { ComparisonReplay } from "./comparison-replay.js";
import { statesAt } from "./comparison.js";
import { findingAny, findingDifferences } from "./differences.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {ComparedRuns} from "./comparison-replay.js" */
/** @import {Differences} from "./differences.js" */

/** The replay of the shown comparison; null: no comparison is shown. */
export const comparison = computed(() => (replay.value instanceof ComparisonReplay ? replay.value : null));
const both = computed(() => comparison.value?.both ?? null);

/** The states of both runs at the current step; a state is null before the run's first stop. */
export const states = computed(() => {
  const [left = null, right = null] = shownStates.value;
  return both.value === null ? null : { left, right };
});

/** The maximum time in ms for which the search for differences blocks the page before it yields. */
const SLICE_MS = 8;

/** The differences at the step; null while they are being searched. */
export const differences = differencesAt(() => step.value);
/** The differences at the last step; null while they are being searched. */
export const outcome = differencesAt(() => (both.value?.steps.length ?? 0) - 1);

/**
 * A signal with the differences at an aligned step. The value of the signal is set immediately if the search
 * takes only one slice, otherwise when the search ends.
 * @param {() => number} at
 */
function differencesAt(at) {
  /** @type {Signal<Differences | null>} */
  const found = signal(null);
  effect(() => {
    const runs = both.value;
    const work = runs === null ? undefined : findingDifferences(sidesAt(runs, at()), runs.nodes);
    const until = performance.now() + SLICE_MS;
    let part = work?.next();
    while (part?.done === false && performance.now() < until) part = work?.next();
    found.value = part?.done ? part.value : null;
    if (work === undefined || part?.done) return undefined;
    const controller = new AbortController();
    inSlices(work, controller.signal).then(
      (all) => (found.value = all),
      () => undefined, // cancelled, because another step is shown
    );
    return () => controller.abort();
  });
  return found;
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

/**
 * The steps at which the runs differ, among the steps searched so far.
 * @type {Signal<number[]>}
 */
export const differing = signal([]);
const steps = computed(() => both.value?.steps ?? []);
effect(() => {
  differing.value = [];
  const runs = both.peek();
  if (steps.value.length > 0 && runs !== null) goOn(searching(runs), steps.value);
});

/**
 * @param {Generator<void, void>} work
 * @param {ComparedRuns["steps"]} aligned the work stops when other runs are shown
 */
function goOn(work, aligned) {
  if (steps.peek() !== aligned) return;
  const until = performance.now() + SLICE_MS;
  do if (work.next().done) return;
  while (performance.now() < until);
  // Safari has no requestIdleCallback
  (globalThis.requestIdleCallback ?? setTimeout)(() => goOn(work, aligned));
}

/**
 * The first step at which two runs differ; 0 if they never differ. Works in slices.
 * @param {ComparedRuns} runs
 * @returns {Generator<void, number>}
 */
export function* findingFirst(runs) {
  for (let m = 0; m < runs.steps.length; m += 1) {
    if (yield* findingAny(sidesAt(runs, m), runs.nodes)) return m;
    yield;
  }
  return 0;
}

/**
 * Finds all steps with differences. Sets the signal `differing` to the first such step as soon as it is
 * found, and to all steps at the end.
 * @param {ComparedRuns} runs
 * @returns {Generator<void, void>}
 */
function* searching(runs) {
  const found = [];
  for (let m = 0; m < runs.steps.length; m += 1) {
    if (yield* findingAny(sidesAt(runs, m), runs.nodes)) found.push(m);
    if (found.length === 1 && differing.peek().length === 0) differing.value = [...found];
    yield;
  }
  differing.value = found;
}
