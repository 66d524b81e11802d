/**
 * Owns predicting: where a visitor wants it, a step forward first asks what will happen, and the next one
 * shows it.
 */

import { computed, effect, signal } from "../../vendor/ui.js";
import { isPredicting } from "./preferences.js";
import { comparison, goTo, played, step, stepCount } from "./store.js";

/** Whether the step after this one is being asked about. */
export const isAsking = signal(false);

// A question is about the step that follows the one that is shown.
effect(() => {
  void [step.value, played.value, comparison.value, isPredicting.value];
  isAsking.value = false;
});

/** One step on, or the question before it. */
export function advance() {
  if (isPredicting.peek() && !isAsking.peek() && step.peek() < stepCount.peek() - 1) isAsking.value = true;
  else goTo(step.peek() + 1);
}

/** One step back, or away from the question. */
export function retreat() {
  if (isAsking.peek()) isAsking.value = false;
  else goTo(step.peek() - 1);
}

/** The last stop of which the page tells: what later steps did is not on the timeline of who predicts. */
export const lastSeen = computed(() => (isPredicting.value ? step.value : Infinity));
