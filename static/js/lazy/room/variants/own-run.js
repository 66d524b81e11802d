/** Owns that a student's Run goes to the class while they want it to, and whether a run of theirs counts. */

import { computed, effect, signal } from "../../../../vendor/ui.js";
import { runSnippet } from "../../../io/api.js";
import { focusEditor } from "../../../panes/code/code.js";
import { provideRuns } from "../../../session/running.js";
import { status } from "../../../state/store.js";
import { runVariant } from "./api.js";
import { room, variants } from "./collection.js";
import { isFiled } from "./variants-state.js";

/** @import {Received} from "../../../io/api.js" */

/** Whether a student may run something for the class. */
export const canRun = computed(() => room.value?.role === "member" && variants.value?.open === true);
/** Whether the student's run goes to the class. */
export const isForClass = signal(false);
/** The collection in which a run of this page counts. */
const counted = signal(-1);
export const isCounted = computed(() => variants.value !== null && variants.value.id === counted.value);

/** For the lifetime of the page. */
export function sendRunsToClass() {
  effect(() => {
    if (!canRun.value || room.value?.inStep.isFollowing.value !== false) isForClass.value = false;
  });
  provideRuns(send);
}

/** To the editor, with what the student wrote before or the code of the room; Run goes to the class. */
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
 * A run that was stopped by hand, or with its worker, does not count. Only this page knows whether a
 * recording that arrives in pieces was stopped.
 * @param {Received} received
 */
function isStopped({ document }) {
  const asked = status.peek();
  if ("trace" in document) return !isFiled(document.trace.ended?.kind);
  return asked.kind === "running" && asked.isStopping;
}
