/**
 * Owns what the page is showing: the snippet, the run, the step. Everything on the page is a function of
 * these signals.
 */

import { batch, computed, signal } from "../../vendor/ui.js";
import { stopIndexOf, nextOf } from "../run/stop-index.js";
import { readStored, writeStored } from "../io/browser-storage.js";
import { inOtherRound } from "../run/loops.js";
import { stateAt } from "../run/state-at.js";
import { GRANULARITIES, withGranularity } from "../run/granularity.js";

/** @import {ReadonlySignal, Signal} from "../../vendor/ui.js" */
/** @import {Progress} from "../io/progress.js" */
/** @import {Comparison, GraphLayout, Index, MemoryLayout, State, Granularity} from "../run/types.d.ts" */

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
/**
 * @typedef {Comparison & {page: typeof import("../lazy/compare/index.js")}} ComparisonOnPage all that only a
 *   comparison needs comes with it, so that no other visit loads it
 */

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
/**
 * Two runs side by side, where they stand in the place of the one.
 * @type {Signal<ComparisonOnPage | null>}
 */
export const comparison = signal(null);
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
export const granularity = signal(GRANULARITIES.find((own) => own === readStored("walk")) ?? "node");
export const isPlaying = signal(false);
/** How fast steps are played. */
export const SPEEDS = /** @type {const} */ ([0.5, 1, 2, 4]);
export const speed = signal(SPEEDS.find((own) => String(own) === readStored("speed")) ?? 1);
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
/**
 * What the page of a lesson shows of it, where this is one.
 * @type {Signal<typeof import("../lazy/lesson/index.js") | null>}
 */
export const lessonPage = signal(null);
export const aboutIsOpen = signal(false);
/**
 * The part of the help that was asked for; "": it is closed.
 * @type {Signal<"" | "keys" | "legend" | "glossary">}
 */
export const helpPart = signal("");

/** A run is on its way, and has been for so long that the page says so. */
export const isBusy = computed(() => status.value.kind === "running" && status.value.isSlow);

/** @type {ReadonlySignal<State | null>} */
export const state = computed(() => {
  const index = played.value?.index;
  if (!index || index.stops.length === 0) return null;
  return stateAt(index, Math.min(step.value, index.stops.length - 1));
});

/** Whether what would run now is not what is shown. */
export const isOld = computed(() => {
  const shown = played.value?.index;
  return (
    shown !== undefined &&
    (source.value !== shown.source || standIn.value !== (shown.header.stand_in ?? false))
  );
});

export const stepCount = computed(
  () => comparison.value?.moments.length ?? played.value?.index.stops.length ?? 0,
);

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
  const own = played.peek();
  const now = state.peek();
  const both = comparison.peek();
  batch(() => {
    granularity.value = chosen;
    if (both !== null) {
      const other = both.page.bothWithGranularity(both, chosen, step.peek());
      [comparison.value, step.value] = [{ ...other.both, page: both.page }, other.m];
    }
    if (own === null) return;
    const index = withGranularity(own.index, chosen);
    played.value = { ...own, index };
    if (now !== null) step.value = Math.max(0, index.stop_of.get(now.stop.step.id) ?? 0);
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
 * The next or previous statement, whatever one press walks.
 * @param {1 | -1} direction
 */
export function toStatement(direction) {
  const [index, both] = [played.peek()?.index, comparison.peek()];
  if (both !== null) return goTo(both.page.statementFrom(both, step.peek(), direction));
  if (index === undefined) return;
  goTo(
    nextOf(stopIndexOf(index).statements, step.peek(), direction) ??
      (direction === 1 ? index.stops.length - 1 : 0),
  );
}

/**
 * The warning after or before the step that is shown.
 * @param {1 | -1} direction
 * @returns {number | undefined} its step
 */
export function warningFrom(direction) {
  const [index, both] = [played.value?.index, comparison.value];
  if (both !== null) return nextOf(both.page.warningsOf(both), step.value, direction);
  return index === undefined ? undefined : nextOf(stopIndexOf(index).warned, step.value, direction);
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
  const [index, both] = [played.peek()?.index, comparison.peek()];
  const next =
    both !== null
      ? both.page.roundFrom(both, step.peek(), direction)
      : index === undefined
        ? undefined
        : inOtherRound(index, step.peek(), direction);
  if (next !== undefined) goTo(next);
}
