/**
 * Owns the state of the page as signals: the snippet, the shown run and the step. The views are functions of
 * these signals.
 */

import { batch, computed, signal } from "../../vendor/ui.js";
import { readStored, writeStored } from "../io/browser-storage.js";
import { closedFrom, openedFrom, stopBeside } from "../run/stops/constructions.js";
import { GRANULARITIES } from "../run/stops/granularity.js";
import { nextOf } from "../run/stops/stop-index.js";

/** @import {ComponentType, ReadonlySignal, Signal} from "../../vendor/ui.js" */
/** @import {Heading, Parent} from "../io/api.js" */
/** @import {Progress} from "../io/progress.js" */
/** @import {Replay} from "./replay.d.ts" */
/** @import {Granularity, GraphLayout, Index, MemoryLayout, State} from "../run/types.d.ts" */

/**
 * @typedef {{
 *   kind: "running",
 *   isSlow: boolean,
 *   isStopping: boolean,
 *   progress: Progress | null,
 * }} Running
 */
/**
 * @typedef {{kind: "failed", id: string, text: string, canRetry: boolean}} Failed `id` of a message; "": the
 *   server's text
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

/** The source of the snippet in the editor. */
export const source = signal("");
/** @type {Signal<"edit" | "replay">} */
export const mode = signal("edit");
/** @type {Signal<Status>} */
export const status = signal({ kind: "idle" });
/**
 * The seconds until the visitor can start a run again after the server refused one; 0 if no wait is needed.
 */
export const secondsLeft = signal(0);
/**
 * What the page replays: a run, or a comparison of two runs; null if nothing.
 * @type {Signal<Replay | null>}
 */
export const replay = signal(null);
/**
 * The latest run with other code than the shown run, with which the shown run can be compared.
 * @type {Signal<Index | null>}
 */
export const runBefore = signal(null);
/** The number of the shown stop, from 0; in a comparison, of the aligned step. */
export const step = signal(0);
/**
 * The granularity of stepping: statements, Nodes or operators.
 * @type {Signal<Granularity>}
 */
export const granularity = signal(GRANULARITIES.find((each) => each === readStored("walk")) ?? "node");
export const isPlaying = signal(false);
/** The speeds for playing the steps automatically, relative to the usual speed. */
export const SPEEDS = /** @type {const} */ ([0.5, 1, 2, 4]);
export const speed = signal(SPEEDS.find((each) => String(each) === readStored("speed")) ?? 1);
/** Whether the next run uses the CPU in place of the GPU that the code asks for. */
export const standIn = signal(false);
/**
 * The name of the lesson's program that is in the editor; null if the editor has other code.
 * @type {Signal<string | null>}
 */
export const program = signal(null);
/**
 * The id under which the shown snippet is stored on the server; null if it is not stored.
 * @type {Signal<string | null>}
 */
export const snippet = signal(null);
/**
 * The title, author and notes that the person who shared a snippet gave it. `id`: the id of the snippet.
 * @type {Signal<Required<Heading> & {id: string, parent: Parent | null} | null>}
 */
export const heading = signal(null);
/**
 * The code of the room that this page takes part in; null if it takes part in none.
 * @type {Signal<string | null>}
 */
export const room = signal(null);
/**
 * A question that hides part of the run with the given header. Until the question is answered, only stops
 * between the ticks `from` and `until` can be shown. `go` is called instead of a step beyond the last of
 * these stops.
 * @type {Signal<{header: Index["header"], from: number, until: number, go: () => void} | null>}
 */
export const held = signal(null);
/** @type {Signal<{text: string} | null>} */
export const toast = signal(null);
/**
 * The code that the page's address contains. `step`: the step at which the first run of this code opens.
 * `at`: the part of the address after the code, which is kept until that run.
 * @type {Signal<{code: string, source: string, step: number | null, at: string} | null>}
 */
export const linked = signal(null);
/** Whether the code in the editor is still the code that the page's address contains. */
export const isLinked = computed(() => linked.value !== null && linked.value.source === source.value);
/**
 * Code that a link contains instead of the id of a stored snippet. `at`: the part of the address after the
 * code, which selects the step.
 * @typedef {{source: string, at: string}} SharedCode
 */
/**
 * What the dialog for sharing shows. `path`: a link, including the fragment that opens this step. `refusal`:
 * the reason why the server stored nothing. `code`: the code for a link that contains it, if such a link is
 * possible.
 * @type {Signal<(
 *   ({path: string, isCopied: boolean} | {path: null, refusal: string}) & {code: SharedCode | null}
 * ) | null>}
 */
export const sharing = signal(null);
/** Whether the dialog of export is open. */
export const isExporting = signal(false);
/**
 * @typedef {object} Fault Why no statement of a program ran: a message, and the line that it is about
 * @property {string} source
 * @property {number | null} line
 * @property {string} note what is shown at the line
 * @property {string} id
 * @property {Record<string, string | number>} args
 */
/** @type {Signal<Fault | null>} */
export const fault = signal(null);
/**
 * The zoom of the graph, relative to the scale at which the whole graph fits. Stepping does not change the
 * zoom.
 */
export const zoom = signal(1);
export const aboutIsOpen = signal(false);
/**
 * The section of the help that is open; "" while the help is closed.
 * @type {Signal<"" | "keys" | "legend" | "glossary">}
 */
export const helpPart = signal("");

/** Whether a run is in progress that takes so long that the page shows its progress. */
export const isBusy = computed(() => status.value.kind === "running" && status.value.isSlow);

/**
 * The shown run with its layouts; null if no run or a comparison is shown.
 * @type {ReadonlySignal<Played | null>}
 */
export const played = computed(() => {
  const alone = replay.value?.alone;
  if (!alone) return null;
  return { index: alone.index, graph: alone.layouts.graph.value, memory: alone.layouts.memory.value };
});

/** Whether the page shows an editor, which a comparison does not have. */
export const hasEditor = computed(() => replay.value === null || replay.value.alone !== null);

/** The state of each shown run at the current step; null for a run of a comparison that has not begun. */
export const states = computed(() => {
  const shown = replay.value;
  return shown?.statesAt(Math.min(step.value, shown.stopCount - 1)) ?? [];
});

/**
 * The state of the shown run at the current step; null if no run or a comparison is shown.
 * @type {ReadonlySignal<State | null>}
 */
export const state = computed(() => (replay.value?.alone ? (states.value[0] ?? null) : null));

/** Whether the code, or the choice of the CPU in place of a GPU, was changed after the shown run. */
export const isOld = computed(() => {
  const shown = played.value?.index;
  return (
    shown !== undefined &&
    (source.value !== shown.source || standIn.value !== (shown.header.stand_in ?? false))
  );
});

export const stepCount = computed(() => replay.value?.stopCount ?? 0);

/**
 * The first and the last stop that may be shown while a question is open; null if all stops may be shown.
 * @type {ReadonlySignal<{first: number, last: number} | null>}
 */
export const heldStops = computed(() => {
  const index = replay.value?.alone?.index;
  const { header, from = 0, until = 0 } = held.value ?? {};
  if (index === undefined || header !== index.header) return null;
  const first = index.stops.findIndex(({ tick }) => tick >= from);
  return { first: Math.max(0, first), last: Math.max(0, first, lastUpTo(index, until)) };
});

/**
 * The last stop at or before a tick; -1 if there is none.
 * @param {Index} index
 * @param {number} tick
 */
export function lastUpTo({ stops }, tick) {
  const next = stops.findIndex((stop) => stop.tick > tick);
  return (next < 0 ? stops.length : next) - 1;
}

/**
 * Shows a run or a comparison at a stop; null shows none. A stop beyond the last one becomes the last one.
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
 * Goes to a stop, or to the nearest stop that may be shown.
 * @param {number} k
 */
export function goTo(k) {
  const { first, last } = heldStops.peek() ?? { first: 0, last: stepCount.peek() - 1 };
  step.value = Math.max(first, Math.min(k, last));
}

/**
 * The stop to which one step forward or back leads. The stops of a Module's construction are skipped, unless
 * the current stop is among them.
 * @param {1 | -1} direction
 */
export function stopFrom(direction) {
  const { value: shown } = replay;
  return shown === null ? 0 : stopBeside(shown.constructions, shown.stopCount, step.value, direction);
}

/**
 * Goes a number of steps forward, or back.
 * @param {number} count negative: back
 */
export function goBy(count) {
  batch(() => {
    for (let left = Math.abs(count); left > 0; left -= 1) goTo(stopFrom(count > 0 ? 1 : -1));
  });
}

/**
 * If the current stop ends the construction of a Module, goes to the first stop within the construction. If
 * the current stop is within a construction, goes to its end.
 */
export function toConstruction() {
  const shown = replay.peek();
  if (shown === null) return;
  const next = openedFrom(shown.constructions, step.peek()) ?? closedFrom(shown.constructions, step.peek());
  if (next !== undefined) goTo(next);
}

/**
 * Sets the granularity of stepping. If the new granularity does not stop at the shown step, the step that
 * contains it is shown.
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

/** Switches to the next finer granularity of stepping. The coarsest granularity comes after the finest. */
export function nextGranularity() {
  chooseGranularity(
    GRANULARITIES[(GRANULARITIES.indexOf(granularity.peek()) + 1) % GRANULARITIES.length] ?? "node",
  );
}

/** Switches to the next faster speed of playing. The slowest speed comes after the fastest. */
export function nextSpeed() {
  speed.value = SPEEDS[(SPEEDS.indexOf(speed.peek()) + 1) % SPEEDS.length] ?? 1;
  writeStored("speed", String(speed.peek()));
}

/**
 * Goes to the next or previous statement, at any granularity.
 * @param {1 | -1} direction
 */
export function toStatement(direction) {
  const shown = replay.peek();
  if (shown !== null) goTo(shown.statementFrom(step.peek(), direction));
}

/**
 * The next or previous stop at which a finding appears.
 * @param {1 | -1} direction
 * @returns {number | undefined} the stop
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
 * Goes to the same statement in the next or previous iteration of the loop around the current stop.
 * @param {1 | -1} direction
 */
export function toRound(direction) {
  const next = replay.peek()?.roundFrom(step.peek(), direction);
  if (next !== undefined) goTo(next);
}
