/**
 * Owns prediction. While prediction is on, a step forward asks what will happen, and a second step forward
 * shows what happens.
 */

import { computed, effect, signal } from "../../vendor/ui.js";
import { isPredicting } from "./preferences.js";
import { goBy, held, heldStops, replay, room, step, stepCount, stopFrom } from "./store.js";

/** @import {Sentence} from "../run/types.d.ts" */

/** Whether prediction asks about the next step. */
const isAskingNext = signal(false);

/** The stop that the page asks about instead of showing the story; null: no question is open. */
export const askedStop = computed(() => {
  if (heldStops.value !== null) return heldStops.value.last + 1;
  return isAskingNext.value ? step.value + 1 : null;
});

/** Whether a question is open. */
export const isAsking = computed(() => askedStop.value !== null);

/** Whether the following steps must stay hidden. */
export const isHidden = computed(() => isPredicting.value || heldStops.value !== null);

/** Whether the page asks a question before it shows a run, as a lesson does. */
export const asksBeforeRun = signal(false);

/**
 * Whether a run opens at its first step that shows something, because a later step would show the answer.
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

// A question is about the step after the shown step.
effect(() => {
  void [replay.value, isPredicting.value];
  isAskingNext.value = false;
  if (result.peek()?.k !== step.value) result.value = null;
});
/**
 * Goes one step forward, or asks about the step first. The page does not ask about steps that pass a
 * construction.
 */
export function advance() {
  if (heldStops.peek() !== null && step.peek() === heldStops.peek()?.last) return held.peek()?.go();
  const isNext = step.peek() < stepCount.peek() - 1 && stopFrom(1) === step.peek() + 1;
  if (isPredicting.peek() && !isAsking.peek() && isNext) isAskingNext.value = true;
  else goBy(1);
}

/** Goes one step back, or drops the question. */
export function retreat() {
  if (isAskingNext.peek()) isAskingNext.value = false;
  else goBy(-1);
}

/** The last stop that may be shown. The timeline hides later stops. */
export const lastVisibleStop = computed(() =>
  Math.min(isPredicting.value ? step.value : Infinity, heldStops.value?.last ?? Infinity),
);
