/**
 * Owns what the page is showing: the snippet, the run, the step. Everything on the page is a function of
 * these signals.
 */

import { batch, computed, signal } from "../../vendor/ui.js";
import { readStored, writeStored } from "../io/browser-storage.js";
import { GRANULARITIES } from "../run/granularity.js";
import { nextOf } from "../run/stop-index.js";

/** @import {ComponentType, ReadonlySignal, Signal} from "../../vendor/ui.js" */
/** @import {Progress} from "../io/progress.js" */
/** @import {Replay} from "./replay.d.ts" */
/** @import {Granularity, GraphLayout, Index, MemoryLayout, State} from "../run/types.d.ts" */

/**
 * `isLoading`: the run is here, and what shows it is not.
 * @typedef {{
 *   kind: "running",
 *   isSlow: boolean,
 *   isStopping: boolean,
 *   isLoading: boolean,
 *   progress: Progress | null,
 * }} Running
 */
/**
 * @typedef {{kind: "failed", id: string, text: string, canRetry: boolean}} Failed of the words `id`, or else
 *   the server's own text
 */
/**
 * @typedef {(
 *   | {kind: "idle"}
 *   | Running
 *   | Failed
 *   | {kind: "noted", id: string, args?: Record<string, string | number>}
 * )} Status
 */
/** @typedef {{index: Index, graph: GraphLayout, memory: MemoryLayout}} Played */

/** The snippet in the editor. */
export const source = signal("");
/** @type {Signal<"edit" | "replay">} */
export const mode = signal("edit");
/** @type {Signal<Status>} */
export const status = signal({ kind: "idle" });
/** Seconds until the server takes a run again that it refused; 0: now. */
export const secondsLeft = signal(0);
/**
 * What is replayed: a run, or two side by side.
 * @type {Signal<Replay | null>}
 */
export const replay = signal(null);
/**
 * What ran before the run that is shown, if that was other code.
 * @type {Signal<Index | null>}
 */
export const runBefore = signal(null);
/** The stop that is shown, from 0; of two runs, the moment. */
export const step = signal(0);
/**
 * How far one press goes.
 * @type {Signal<Granularity>}
 */
export const granularity = signal(GRANULARITIES.find((each) => each === readStored("walk")) ?? "node");
export const isPlaying = signal(false);
/** How fast steps are played. */
export const SPEEDS = /** @type {const} */ ([0.5, 1, 2, 4]);
export const speed = signal(SPEEDS.find((each) => String(each) === readStored("speed")) ?? 1);
/** Whether the CPU is to stand in for a GPU in the next run. */
export const standIn = signal(false);
/**
 * The program of the course that is in the editor.
 * @type {Signal<string | null>}
 */
export const program = signal(null);
/**
 * Id of the link that is shown.
 * @type {Signal<string | null>}
 */
export const snippet = signal(null);
/** @type {Signal<{text: string, link?: string} | null>} */
export const toast = signal(null);
/** Of the graph, times the scale that fits it; stays from step to step. */
export const zoom = signal(1);
export const aboutIsOpen = signal(false);
/**
 * The part of the help that was asked for; "": it is closed.
 * @type {Signal<"" | "keys" | "legend" | "glossary">}
 */
export const helpPart = signal("");

/** A run is on its way, and has been for so long that the page says so. */
export const isBusy = computed(() => status.value.kind === "running" && status.value.isSlow);

/**
 * The run that stands alone on the page, and its layouts.
 * @type {ReadonlySignal<Played | null>}
 */
export const played = computed(() => {
  const alone = replay.value?.alone;
  if (!alone) return null;
  return { index: alone.index, graph: alone.layouts.graph.value, memory: alone.layouts.memory.value };
});

/** Whether the page shows the editor: where two runs stand side by side, it does not. */
export const hasEditor = computed(() => replay.value === null || replay.value.alone !== null);

/** What each run of the replay shows at the step; null: it has not begun. */
export const states = computed(() => {
  const shown = replay.value;
  return shown?.statesAt(Math.min(step.value, shown.stopCount - 1)) ?? [];
});

/**
 * What the run that stands alone shows at the step.
 * @type {ReadonlySignal<State | null>}
 */
export const state = computed(() => (replay.value?.alone ? (states.value[0] ?? null) : null));

/** Whether what would run now is not what is shown. */
export const isOld = computed(() => {
  const shown = played.value?.index;
  return (
    shown !== undefined &&
    (source.value !== shown.source || standIn.value !== (shown.header.stand_in ?? false))
  );
});

export const stepCount = computed(() => replay.value?.stopCount ?? 0);

/**
 * Show a replay at one of its stops, as near as there is one; without, nothing is replayed.
 * @param {Replay | null} next
 * @param {number} [at]
 */
export function showReplay(next, at = 0) {
  batch(() => {
    replay.value = next;
    goTo(at);
  });
}

/**
 * Go to a stop, as near as there is one.
 * @param {number} k
 */
export function goTo(k) {
  step.value = Math.max(0, Math.min(k, stepCount.peek() - 1));
}

/**
 * Choose how far one press goes; the step that is shown stays, or else what it is part of.
 * @param {Granularity} chosen
 */
export function chooseGranularity(chosen) {
  writeStored("walk", chosen);
  const next = replay.peek()?.withGranularity(chosen, step.peek());
  batch(() => {
    granularity.value = chosen;
    if (next !== undefined) showReplay(next.replay, next.stop);
  });
}

/** The next granularity, from the widest steps to the smallest and round again. */
export function nextGranularity() {
  chooseGranularity(
    GRANULARITIES[(GRANULARITIES.indexOf(granularity.peek()) + 1) % GRANULARITIES.length] ?? "node",
  );
}

/** The next speed, round again to the slowest. */
export function nextSpeed() {
  speed.value = SPEEDS[(SPEEDS.indexOf(speed.peek()) + 1) % SPEEDS.length] ?? 1;
  writeStored("speed", String(speed.peek()));
}

/**
 * The next or previous statement, whatever the granularity.
 * @param {1 | -1} direction
 */
export function toStatement(direction) {
  const shown = replay.peek();
  if (shown !== null) goTo(shown.statementFrom(step.peek(), direction));
}

/**
 * The warning after or before the step that is shown.
 * @param {1 | -1} direction
 * @returns {number | undefined} its step
 */
export function warningFrom(direction) {
  return nextOf(replay.value?.warnings ?? [], step.value, direction);
}

/** @param {1 | -1} direction */
export function toWarning(direction) {
  const next = warningFrom(direction);
  if (next !== undefined) goTo(next);
}

/**
 * The same place in the next or previous round of the loop that the step is in.
 * @param {1 | -1} direction
 */
export function toRound(direction) {
  const next = replay.peek()?.roundFrom(step.peek(), direction);
  if (next !== undefined) goTo(next);
}
