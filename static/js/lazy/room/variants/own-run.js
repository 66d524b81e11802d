/**
 * Decides whether a student's runs are sent to the collection of variants, and whether one of them counts
 * there.
 */

import { computed, effect, signal } from "../../../../vendor/ui.js";
import { runSnippet } from "../../../io/api.js";
import { focusEditor } from "../../../panes/code/code.js";
import { provideRuns } from "../../../session/running.js";
import { status } from "../../../state/store.js";
import { runVariant } from "./api.js";
import { room, variants } from "./collection.js";
import { isFiled } from "./variants-state.js";

/** @import {Received} from "../../../io/api.js" */

/** Whether the student may run code for the class. */
export const canRun = computed(() => room.value?.role === "member" && variants.value?.open === true);
/** Whether the student's runs are sent to the collection of variants. */
export const isForClass = signal(false);
/** The id of the collection in which a run of this page counts; -1: none. */
const counted = signal(-1);
export const isCounted = computed(() => variants.value !== null && variants.value.id === counted.value);

/**
 * Makes the button Run send programs to the collection of variants while `isForClass` is set. This is never
 * undone.
 */
export function sendRunsToClass() {
  effect(() => {
    if (!canRun.value || room.value?.inStep.isFollowing.value !== false) isForClass.value = false;
  });
  provideRuns(send);
}

/**
 * Opens the editor with the student's own version or the room's code. Runs are then sent to the collection
 * of variants.
 */
export function writeForClass() {
  if (!canRun.peek()) return;
  room.peek()?.inStep.toCode();
  isForClass.value = true;
  requestAnimationFrame(focusEditor);
}

/** @type {typeof runSnippet} */
async function send(source, stand_in, signal, onProgress) {
  const [shown, now] = [room.peek(), variants.peek()];
  if (!isForClass.peek() || shown === null || now === null)
    return runSnippet(source, stand_in, signal, onProgress);
  const received = await runVariant(shown, now.id, source, signal, onProgress);
  if (!isStopped(received)) counted.value = now.id;
  return received;
}

/**
 * Whether a run was stopped, by the student or because its worker stopped, so that the run does not count.
 * If the recording arrives in pieces, the answer depends on whether this page is stopping the run.
 * @param {Received} received
 */
function isStopped({ document }) {
  const asked = status.peek();
  if ("trace" in document) return !isFiled(document.trace.ended?.kind);
  return asked.kind === "running" && asked.isStopping;
}
