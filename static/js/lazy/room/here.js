/**
 * Converts the state of this page into the state of a room, and applies the state of a room to this page.
 * Changes only what a visitor could also change, and uses only the interface of a replay.
 */

import { batch, computed, signal } from "../../../vendor/ui.js";
import { boxesOf } from "../../layout/group-contents.js";
import { asked } from "../../state/asked.js";
import { chosenLine, chooseLine } from "../../state/code-cursor.js";
import { cursorBox, moveCursorTo } from "../../state/graph-cursor.js";
import { pins } from "../../state/pins.js";
import { select, selected } from "../../state/selection.js";
import { granularity, mode, played, replay, showReplay, step } from "../../state/store.js";
import { followedView, readAt, writtenAt } from "./room-state.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {ViewChunk} from "../../panes/chunks.js" */
/** @import {Subject} from "../../run/types.d.ts" */
/** @import {Replay} from "../../state/replay.d.ts" */
/** @import {Followed, RoomState} from "./room-state.js" */

/** @typedef {Pick<RoomState, "at" | "view" | "selection">} Shown */
export const SHOWN = /** @type {const} */ (["at", "view", "selection"]);

/** @type {ViewChunk | null} */
let views = null;

/** @param {ViewChunk} chunk reads and applies how a step is shown */
export function provideViews(chunk) {
  views = chunk;
}

/**
 * The page's replay of the comparison that the room shows; null: the room shows a run.
 * @type {Signal<Replay | null>}
 */
export const comparisonOfRoom = signal(null);

/**
 * Whether two replays have the same runs, at any granularity.
 * @param {Replay | null} one
 * @param {Replay | null} other
 */
export function areSameRuns(one, other) {
  if (one === null || other === null || one.runs.length !== other.runs.length) return false;
  return one.runs.every(({ header }, number) => header === other.runs[number]?.header);
}

/**
 * The state that the page shows of a single run, or of the room's comparison. Null: the page shows another
 * comparison or nothing, or its code is being edited.
 */
export const here = computed(() => {
  if (mode.value === "edit") return null;
  const at = writtenAt(step.value, granularity.value);
  const isOfRoom = areSameRuns(replay.value, comparisonOfRoom.value);
  if (isOfRoom) return { at, view: "", selection: /** @type {Followed | null} */ (null) };
  if (played.value === null) return null;
  void [pins.value, asked.value]; // `viewNow` reads these signals with `peek`
  return { at, view: followedView(views?.viewNow() ?? ""), selection: selection.value };
});

/** The item that is selected in a picture, or else the line that is selected in the code; null: none. */
const selection = computed(() => {
  const subject = selected.value;
  if (subject !== null) return /** @type {Followed} */ (subject);
  const box = cursorBox.value;
  if (box !== null && box.node >= 0) return /** @type {Followed} */ ({ kind: "node", id: box.node });
  return chosenLine.value === null ? null : /** @type {Followed} */ ({ kind: "line", id: chosenLine.value });
});

/**
 * Goes to a step at its granularity, without storing the granularity as the visitor's preference.
 * @param {string} at
 */
export function showAt(at) {
  const asked = readAt(at);
  const shown = replay.peek();
  if (asked === null || shown === null) return;
  const next = asked.by === granularity.peek() ? shown : shown.withGranularity(asked.by, step.peek()).replay;
  batch(() => {
    granularity.value = asked.by;
    showReplay(next, asked.step);
  });
}

/**
 * Applies a view. Resolves when its groups and pins are shown.
 * @param {string} view
 */
export async function showView(view) {
  await views?.followView(new URLSearchParams(view));
}

/** @param {Followed | null} followed */
export function showSelection(followed) {
  batch(() => {
    const graph = played.peek()?.graph;
    const box = followed?.kind === "node" && graph !== undefined ? boxesOf(graph, followed.id)[0] : null;
    if (box != null || cursorBox.peek() !== null) moveCursorTo(box);
    chooseLine(followed?.kind === "line" ? followed.id : null);
    select(followed !== null && isKnown(followed) ? followed : null);
  });
}

/**
 * Whether a followed item exists in the memory of the shown run. The ids that a room sends are not trusted.
 * @param {Followed} followed
 * @returns {followed is Subject}
 */
function isKnown(followed) {
  const { kind, id, cell } = followed;
  const run = played.peek();
  if (run === null || kind === "node" || kind === "line") return false;
  const { names, tensors, storages } = run.index;
  const counts = { name: names, grad: tensors, tensor: tensors, storage: storages, cell: storages };
  const all = kind === "fold" ? run.memory.groups : counts[kind];
  return all?.[id] !== undefined && (cell === undefined || Number.isInteger(cell));
}
