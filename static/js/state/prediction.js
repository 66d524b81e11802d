/**
 * Owns prediction: where it is on, a step forward first asks what will happen, and the next step forward
 * shows it.
 */

import { computed, effect, signal } from "../../vendor/ui.js";
import { isPredicting } from "./preferences.js";
import { goBy, replay, step, stepCount, stopFrom } from "./store.js";

/** @import {Sentence} from "../run/types.d.ts" */

/** Whether the page asks about the next step. */
export const isAsking = signal(false);

/**
 * The answer that was given to the question about the stop that is shown.
 * @type {import("../../vendor/ui.js").Signal<{
 *   k: number,
 *   isRight: boolean,
 *   question: Sentence,
 *   given: Sentence,
 *   truth: Sentence[],
 * } | null>}
 */
export const result = signal(null);

// A question is about the step after the one that is shown.
effect(() => {
  void [replay.value, isPredicting.value];
  isAsking.value = false;
  if (result.peek()?.k !== step.value) result.value = null;
});
/** Goes one step forward, or asks about it first; of a construction that is passed nothing is asked. */
export function advance() {
  const isNext = step.peek() < stepCount.peek() - 1 && stopFrom(1) === step.peek() + 1;
  if (isPredicting.peek() && !isAsking.peek() && isNext) isAsking.value = true;
  else goBy(1);
}

/** Goes one step back, or drops the question. */
export function retreat() {
  if (isAsking.peek()) isAsking.value = false;
  else goBy(-1);
}

/** The last stop that may be shown: with prediction on, the timeline hides later steps. */
export const lastVisibleStop = computed(() => (isPredicting.value ? step.value : Infinity));
