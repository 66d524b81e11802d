/** Owns what the page is showing: the snippet, the run, the step. Everything on the page is a function of these signals. */

import { computed, signal } from "../vendor/ui.js";
import { stateAt } from "./player.js";

/** @import {ReadonlySignal, Signal} from "../vendor/ui.js" */
/** @import {Progress} from "./progress.js" */
/** @import {GraphLayout, Index, MemoryLayout, State} from "./types.d.ts" */

/** @typedef {{kind: "running", isSlow: boolean, isStopping: boolean, progress: Progress | null}} Running */
/** @typedef {{kind: "failed", id: string, text: string, canRetry: boolean}} Failed of the words `id`, or else the server's own text */
/** @typedef {{kind: "idle"} | Running | Failed | {kind: "noted", id: string}} Status */
/** @typedef {{index: Index, graph: GraphLayout, memory: MemoryLayout}} Played */

/** The snippet in the editor. */
export const source = signal("");
/** @type {Signal<"edit" | "replay">} */
export const mode = signal("edit");
/** @type {Signal<Status>} */
export const status = signal({ kind: "idle" });
/** Seconds until the server takes a run again that it refused; 0: now. */
export const secondsLeft = signal(0);
/** @type {Signal<Played | null>} */
export const played = signal(null);
/** The stop that is shown, from 0. */
export const step = signal(0);
export const isPlaying = signal(false);
/** Whether the CPU is to stand in for a GPU in the next run. */
export const standIn = signal(false);
/** @type {Signal<string | null>} Slug of the lesson in the editor. */
export const lesson = signal(null);
/** @type {Signal<string | null>} Id of the link that is shown. */
export const snippet = signal(null);
/** @type {Signal<{text: string, link?: string} | null>} */
export const toast = signal(null);
/** Of the graph, times the scale that fits it; stays from step to step. */
export const zoom = signal(1);
export const helpIsOpen = signal(false);

/** A run is on its way, and has been for so long that the page says so. */
export const isBusy = computed(() => status.value.kind === "running" && status.value.isSlow);

/** @type {ReadonlySignal<State | null>} */
export const state = computed(() => {
  const index = played.value?.index;
  if (!index || index.stops.length === 0) return null;
  return stateAt(index, Math.min(step.value, index.stops.length - 1));
});

export const stepCount = computed(() => played.value?.index.stops.length ?? 0);

/** Go to a stop, as near as there is one. @param {number} k */
export function goTo(k) {
  step.value = Math.max(0, Math.min(k, stepCount.peek() - 1));
}
