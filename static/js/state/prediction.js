/** Owns prediction mode, in which the page asks what the next step will do before it shows the step. */

import { computed, effect, signal } from "../../vendor/ui.js";
import { isPredicting } from "./preferences.js";
import { goBy, held, heldStops, replay, room, step, stepCount, stopFrom } from "./store.js";

/** @import {Sentence} from "../run/types.d.ts" */

/** Whether the page now asks the visitor what the next step will do. */
const isAskingNext = signal(false);

/**
 * The stop that the page's open question is about; null if no question is open. While a question is open, it
 * replaces the sentences about the step.
 */
export const askedStop = computed(() => {
  if (heldStops.value !== null) return heldStops.value.last + 1;
  return isAskingNext.value ? step.value + 1 : null;
});

/** Whether the page waits for the answer to a question. */
export const isAsking = computed(() => askedStop.value !== null);

/** Whether the steps after the shown one must stay hidden, because they contain the answer to a question. */
export const isHidden = computed(() => isPredicting.value || heldStops.value !== null);

/** Whether the page asks a question before it shows a run, as a lesson does. */
export const asksBeforeRun = signal(false);

/**
 * Whether a new run opens at the first step that shows something, because a later step would give away the
 * answer to a question.
 */
export const asksFirst = computed(() => isPredicting.value || asksBeforeRun.value || room.value !== null);

/**
 * The visitor's answer to the question about the shown stop.
 * @type {import("../../vendor/ui.js").Signal<{
 *   k: number,
 *   isRight: boolean,
 *   question: Sentence,
 *   given: Sentence,
 *   truth: Sentence[],
 * } | null>}
 */
export const result = signal(null);

// A question is about the step after the shown one, so it is dropped when the step changes.
effect(() => {
  void [replay.value, isPredicting.value];
  isAskingNext.value = false;
  if (result.peek()?.k !== step.value) result.value = null;
});
/**
 * Goes one step forward. In prediction mode the first call asks about the next step, and the second call
 * goes there. No question is asked if the step skips the construction of a Module.
 */
export function advance() {
  if (heldStops.peek() !== null && step.peek() === heldStops.peek()?.last) return held.peek()?.go();
  const isNext = step.peek() < stepCount.peek() - 1 && stopFrom(1) === step.peek() + 1;
  if (isPredicting.peek() && !isAsking.peek() && isNext) isAskingNext.value = true;
  else goBy(1);
}

/** Drops the open question, or goes one step back if there is none. */
export function retreat() {
  if (isAskingNext.peek()) isAskingNext.value = false;
  else goBy(-1);
}

/** The last stop that may be shown while a prediction or a question hides later stops. */
export const lastVisibleStop = computed(() =>
  Math.min(isPredicting.value ? step.value : Infinity, heldStops.value?.last ?? Infinity),
);
