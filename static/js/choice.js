/** Owns what a visitor has chosen to follow: a name, a tensor or a storage, and the way from one of its changes to the next. */

import { computed, signal } from "../vendor/ui.js";
import { changeFrom, changesOf } from "./changes.js";
import { slotsAt } from "./layout/memory.js";
import { goTo, played, state, step } from "./store.js";

/** @import {Signal} from "../vendor/ui.js" */
/** @import {MemoryRow, State, Subject} from "./types.d.ts" */

/** @type {Signal<{subject: Subject, run: object} | null>} `run`: in which it was chosen. */
const choice = signal(null);

/** @type {import("../vendor/ui.js").ReadonlySignal<Subject | null>} What was chosen in the run that is shown. */
export const chosen = computed(() => {
  const own = choice.value;
  return own !== null && own.run === played.value?.index.steps ? own.subject : null;
});

/** When it changes. */
export const changes = computed(() => {
  const index = played.value?.index;
  return index === undefined || chosen.value === null ? [] : changesOf(index, chosen.value);
});

/** @param {Subject | null} subject */
export function choose(subject) {
  const run = played.peek()?.index.steps;
  choice.value = subject === null || run === undefined ? null : { subject, run };
}

/** Go to the next or previous change; with nothing chosen, what was written now is. @param {1 | -1} direction */
export function toChange(direction) {
  const now = state.peek();
  if (chosen.peek() === null && now !== null) choose(foremost(now));
  const next = changeFrom(changes.peek(), step.peek(), direction);
  if (next !== undefined) goTo(next.k);
}

/** What was written in this step, else what is new in it, else what stands first. @param {State} now @returns {Subject | null} */
function foremost(now) {
  const written = now.writes.map((write) => now.storages.get(write.storage)).find((own) => own?.is_written && own.before !== null);
  if (written !== undefined) return { kind: "storage", id: written.id };
  const tensors = (played.peek()?.index.tensors ?? []).map((own) => now.tensors.get(own.id)).filter((own) => own !== undefined);
  const named = tensors.filter((own) => own.labels.length > 0);
  const tensor = named.find((own) => own.is_new) ?? named[0];
  return tensor === undefined ? null : { kind: "tensor", id: tensor.id };
}

/** @param {Subject | null} a @param {Subject | null} b */
export function isSame(a, b) {
  return a !== null && b !== null && a.kind === b.kind && a.id === b.id;
}

/** What a label's key stands for: `n3` for name 3, `g5` for the gradient of tensor 5. @param {string} key @returns {Subject | null} */
export function labelled(key) {
  const id = Number(key.slice(1));
  return Number.isInteger(id) && /^[ng]/.test(key) ? { kind: key.startsWith("g") ? "grad" : "name", id } : null;
}

/** Choose the neighbour of what is chosen: across from name to tensor to storage, down from row to row. @param {-1 | 0 | 1} across @param {-1 | 0 | 1} down */
export function chooseBeside(across, down) {
  const now = state.peek();
  const layout = played.peek()?.memory;
  if (now === null || layout === undefined) return;
  const rows = layout.rows.filter((row) => row.from <= now.tick && now.tick < row.until).map((row) => thingsOf(row, now)).filter((row) => row.length > 0);
  const lines = rows.flat();
  const own = chosen.peek();
  const at = lines.findIndex((line) => line.some((subject) => isSame(subject, own)));
  if (at < 0) return choose(lines[0]?.[0] ?? null);
  const line = /** @type {Subject[]} */ (lines[at]);
  const column = line.findIndex((subject) => isSame(subject, own));
  if (down === 0) return choose(line[column + across] ?? own);
  const next = lines[at + down] ?? line;
  choose(next[Math.min(column, next.length - 1)] ?? own);
}

/** Each line of a row: names, the tensor that they reach, its storage. @param {MemoryRow} row @param {State} now @returns {Subject[][]} */
function thingsOf(row, now) {
  return slotsAt(row, now).map(({ tensor }) => {
    const names = (now.tensors.get(tensor)?.labels ?? []).slice(0, 2).map((label) => labelled(label.key)).filter((own) => own !== null);
    /** @type {Subject[]} */
    const line = [...names, { kind: "tensor", id: tensor }];
    if (row.storage !== null) line.push({ kind: "storage", id: row.storage });
    return line;
  });
}
