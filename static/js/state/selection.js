/**
 * Owns the item that the visitor selected (a name, a tensor, a storage or a cell), and the commands that go
 * to the steps at which it changes.
 */

import { computed, signal } from "../../vendor/ui.js";
import { changeFrom, changesOf } from "../run/changes.js";
import { at, stopAtTick } from "../run/facts.js";
import { largestStorage } from "../run/holders.js";
import { beside } from "../layout/memory-navigation.js";
import { foldAround } from "../layout/memory-rows.js";
import { unfoldStorage } from "./folds.js";
import { goTo, played, state, step } from "./store.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {Index, State, Subject} from "../run/types.d.ts" */

/**
 * The selected item. `run`: an object that identifies the run to which the item belongs.
 * @type {Signal<{subject: Subject, run: object} | null>}
 */
const selection = signal(null);

/**
 * The selected item of the shown run; null if nothing is selected.
 * @type {import("../../vendor/ui.js").ReadonlySignal<Subject | null>}
 */
export const selected = computed(() => {
  const current = selection.value;
  return current !== null && current.run === played.value?.index.steps ? current.subject : null;
});

/** The stops at which the selected item changes, with the kinds of change. */
export const changes = computed(() => {
  const index = played.value?.index;
  return index === undefined || selected.value === null ? [] : changesOf(index, selected.value);
});

/**
 * Selects an item, and unfolds the group in the memory picture that contains it.
 * @param {Subject | null} subject
 */
export function select(subject) {
  const [shown, now] = [played.peek(), state.peek()];
  const run = shown?.index.steps;
  selection.value = subject === null || run === undefined ? null : { subject, run };
  if (subject === null || now === null || shown === null) return;
  const storage = storageOf(shown.index, now, subject);
  const fold = storage === null ? undefined : foldAround(shown.memory, now, storage)?.fold;
  if (storage !== null && fold) void unfoldStorage(storage, fold.group.key);
}

/**
 * Goes to the next or previous step at which the selected item changes. If nothing is selected, first
 * selects what the shown step wrote or created.
 * @param {1 | -1} direction
 */
export function toChange(direction) {
  const now = state.peek();
  if (selected.peek() === null && now !== null) select(foremost(now));
  const next = changeFrom(changes.peek(), step.peek(), direction);
  if (next !== undefined) goTo(next.k);
}

/**
 * What to select at a step: a storage that the step wrote, or else a named tensor that it created, or else
 * the first named tensor.
 * @param {State} now
 * @returns {Subject | null}
 */
function foremost(now) {
  const written = now.writes
    .map((write) => now.storages.get(write.storage))
    .find((storage) => storage?.is_written && storage.before !== null);
  if (written !== undefined) return { kind: "storage", id: written.id };
  const tensors = (played.peek()?.index.tensors ?? [])
    .map((tensor) => now.tensors.get(tensor.id))
    .filter((tensor) => tensor !== undefined);
  const named = tensors.filter((tensor) => tensor.labels.length > 0);
  const tensor = named.find((tensor) => tensor.is_new) ?? named[0];
  return tensor === undefined ? null : { kind: "tensor", id: tensor.id };
}

/**
 * Moves the selection to the neighbouring item in the memory picture.
 * @param {-1 | 0 | 1} across
 * @param {-1 | 0 | 1} down
 */
export function selectBeside(across, down) {
  const now = state.peek();
  const layout = played.peek()?.memory;
  if (now !== null && layout !== undefined) select(beside(layout, now, selected.peek(), across, down));
}

/**
 * Goes to the next step at which a Node saved the storage of the selected item. The first step that saves
 * the storage comes after the last one.
 * @returns {boolean} whether there is such a step
 */
export function toSaving() {
  const [index, now, subject] = [played.peek()?.index, state.peek(), selected.peek()];
  if (index === undefined || now === null || subject === null) return false;
  const storage = storageOf(index, now, subject);
  const stops = index.saved_tensors
    .filter((saved) => storage !== null && saved.geometry.storage === storage)
    .map((saved) => stopAtTick(index, saved.tick))
    .sort((a, b) => a - b);
  const next = stops.find((k) => k > step.peek()) ?? stops[0];
  if (next !== undefined) goTo(next);
  return next !== undefined;
}

/**
 * The storage of a selected name, tensor, gradient or cell, or the selected storage; null if there is none.
 * @param {Index} index
 * @param {State} now
 * @param {Subject} subject
 * @returns {number | null}
 */
function storageOf(index, now, subject) {
  if (subject.kind === "fold") return null;
  if (subject.kind === "storage" || subject.kind === "cell") return subject.id;
  return now.tensors.get(tensorOf(index, now, subject) ?? -1)?.geometry?.storage ?? null;
}

/** Selects the largest live storage. If a storage is selected already, selects the next smaller one. */
export function selectLargest() {
  const [index, now, subject] = [played.peek()?.index, state.peek(), selected.peek()];
  if (index === undefined || now === null) return;
  const id = largestStorage(index, now, subject?.kind === "storage" ? subject.id : null);
  if (id !== undefined) select({ kind: "storage", id });
}

/**
 * The id of the tensor that a selected name is bound to, or that is the selected `grad`; null if there is
 * none.
 * @param {Index} index
 * @param {State} now
 * @param {Subject} subject
 */
export function tensorOf(index, now, { kind, id }) {
  if (kind === "tensor") return id;
  return at(kind === "grad" ? index.tensors[id]?.grad : index.names[id]?.tensor, now.tick) ?? null;
}
