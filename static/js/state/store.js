/**
 * Owns the state of the page: the snippet, the replay, the step. The views are functions of these signals.
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

/** The snippet in the editor. */
export const source = signal("");
/** @type {Signal<"edit" | "replay">} */
export const mode = signal("edit");
/** @type {Signal<Status>} */
export const status = signal({ kind: "idle" });
/** The seconds until the server accepts a run after a refusal; 0: now. */
export const secondsLeft = signal(0);
/**
 * The shown replay: a run, or a comparison of two runs.
 * @type {Signal<Replay | null>}
 */
export const replay = signal(null);
/**
 * The last run whose code differs from the code of the shown run.
 * @type {Signal<Index | null>}
 */
export const runBefore = signal(null);
/** The shown stop, from 0; in a comparison, the aligned step. */
export const step = signal(0);
/**
 * The size of one step.
 * @type {Signal<Granularity>}
 */
export const granularity = signal(GRANULARITIES.find((each) => each === readStored("walk")) ?? "node");
export const isPlaying = signal(false);
/** The speeds at which steps are played, relative to the usual speed. */
export const SPEEDS = /** @type {const} */ ([0.5, 1, 2, 4]);
export const speed = signal(SPEEDS.find((each) => String(each) === readStored("speed")) ?? 1);
/** Whether the CPU stands in for a GPU in the next run. */
export const standIn = signal(false);
/**
 * The name of the lesson's program in the editor; null: the editor has other code.
 * @type {Signal<string | null>}
 */
export const program = signal(null);
/**
 * The id of the shown stored snippet.
 * @type {Signal<string | null>}
 */
export const snippet = signal(null);
/**
 * The heading of a stored snippet, by the person who shared it. `id`: the id of the snippet.
 * @type {Signal<Required<Heading> & {id: string, parent: Parent | null} | null>}
 */
export const heading = signal(null);
/**
 * The code of the room that this page is in; null: it is in no room.
 * @type {Signal<string | null>}
 */
export const room = signal(null);
/**
 * The open question about the run with this header. Stops outside the ticks `from` to `until` are hidden
 * until the question is answered. `go`: called instead of a step beyond the last visible stop.
 * @type {Signal<{header: Index["header"], from: number, until: number, go: () => void} | null>}
 */
export const held = signal(null);
/** @type {Signal<{text: string} | null>} */
export const toast = signal(null);
/**
 * The code that the address contains. `step`: the step at which the first run of this code opens. `at`: the
 * part of the address after the code, until that run.
 * @type {Signal<{code: string, source: string, step: number | null, at: string} | null>}
 */
export const linked = signal(null);
/** Whether the editor contains the code of the address. */
export const isLinked = computed(() => linked.value !== null && linked.value.source === source.value);
/**
 * Code that a link contains. `at`: the part of the address after the code, which selects the step.
 * @typedef {{source: string, at: string}} SharedCode
 */
/**
 * The contents of the dialog for sharing. `path`: a link, including the fragment that opens this step.
 * `refusal`: the reason why the server stored nothing. `code`: the code for a link that contains it, if such
 * a link is possible.
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
 * The zoom of the graph, relative to the scale at which the graph fits. The zoom stays the same from step to
 * step.
 */
export const zoom = signal(1);
export const aboutIsOpen = signal(false);
/**
 * The section of the help that is open; "": the help is closed.
 * @type {Signal<"" | "keys" | "legend" | "glossary">}
 */
export const helpPart = signal("");

/** Whether a run takes so long that the page shows its progress. */
export const isBusy = computed(() => status.value.kind === "running" && status.value.isSlow);

/**
 * The shown single run, and its layouts.
 * @type {ReadonlySignal<Played | null>}
 */
export const played = computed(() => {
  const alone = replay.value?.alone;
  if (!alone) return null;
  return { index: alone.index, graph: alone.layouts.graph.value, memory: alone.layouts.memory.value };
});

/** Whether the page has the editor. A comparison has no editor. */
export const hasEditor = computed(() => replay.value === null || replay.value.alone !== null);

/** The state of each run at the step; null: the run has not begun. */
export const states = computed(() => {
  const shown = replay.value;
  return shown?.statesAt(Math.min(step.value, shown.stopCount - 1)) ?? [];
});

/**
 * The state of the single run at the step.
 * @type {ReadonlySignal<State | null>}
 */
export const state = computed(() => (replay.value?.alone ? (states.value[0] ?? null) : null));

/** Whether the snippet or the stand-in changed after the shown run. */
export const isOld = computed(() => {
  const shown = played.value?.index;
  return (
    shown !== undefined &&
    (source.value !== shown.source || standIn.value !== (shown.header.stand_in ?? false))
  );
});

export const stepCount = computed(() => replay.value?.stopCount ?? 0);

/**
 * The first and the last stop that may be shown while a question is open; null: all stops may be shown.
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
 * The last stop up to a tick; -1: there is no such stop.
 * @param {Index} index
 * @param {number} tick
 */
export function lastUpTo({ stops }, tick) {
  const next = stops.findIndex((stop) => stop.tick > tick);
  return (next < 0 ? stops.length : next) - 1;
}

/**
 * Shows a replay at a stop, clamped to its range; null shows none.
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
 * Goes to a stop, clamped to the permitted stops.
 * @param {number} k
 */
export function goTo(k) {
  const { first, last } = heldStops.peek() ?? { first: 0, last: stepCount.peek() - 1 };
  step.value = Math.max(first, Math.min(k, last));
}

/**
 * The target of one step. A step passes the construction of a Module, unless the present stop is part of the
 * construction.
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
 * Enters the construction that the present step passes, or leaves the construction that contains the step.
 */
export function toConstruction() {
  const shown = replay.peek();
  if (shown === null) return;
  const next = openedFrom(shown.constructions, step.peek()) ?? closedFrom(shown.constructions, step.peek());
  if (next !== undefined) goTo(next);
}

/**
 * Sets the granularity. The shown step stays, or the step that contains it is shown.
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

/** Switches to the next finer granularity. The coarsest granularity follows the finest. */
export function nextGranularity() {
  chooseGranularity(
    GRANULARITIES[(GRANULARITIES.indexOf(granularity.peek()) + 1) % GRANULARITIES.length] ?? "node",
  );
}

/** Switches to the next speed. The slowest speed follows the fastest. */
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
 * The next or previous stop with a warning.
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
 * Goes to the same statement in the next or previous round of the loop.
 * @param {1 | -1} direction
 */
export function toRound(direction) {
  const next = replay.peek()?.roundFrom(step.peek(), direction);
  if (next !== undefined) goTo(next);
}
