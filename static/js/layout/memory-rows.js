/**
 * Finds the rows and tensors that the memory picture shows at a stop, and the number of rows and tensors
 * that are not shown. Pure.
 */

import { firstWhere, upTo } from "../run/sorted.js";
import { FREED } from "./folds/freed-folds.js";

/**
 * @import {FoldedStorages, Index, MemoryLayout, MemoryRow, Others, Sentence,
 *   Spares, State} from "../run/types.d.ts"
 */

/**
 * The rows of the memory picture at a stop. A freed storage keeps its row until another storage takes the
 * row. If the step changes only a storage without a row of its own, an additional row shows that storage.
 * @param {MemoryLayout} layout
 * @param {State} state
 */
export function rowsAt({ rows, spares }, state) {
  const shown = rows.filter((row) => existsAt(row, state));
  if (spares === null) return shown;
  const { written, fresh } = subjectsOf(shown, state);
  const spare = written.length + fresh.length > 0 ? undefined : spareAt(spares, state);
  return spare === undefined ? shown : [...shown, spare];
}

/**
 * The rows that a step changes. A step changes a row by a write to the row's storage, or by a tensor that is
 * first shown in the row. The line of freed storages never counts as changed.
 * @param {MemoryRow[]} rows
 * @param {State} state
 */
export function subjectsOf(rows, { writes, before, tick }) {
  const storages = new Set(writes.filter(({ changed }) => changed !== false).map(({ storage }) => storage));
  return {
    written: rows.filter(
      ({ storage, fold }) =>
        (storage !== null && storages.has(storage)) ||
        (fold?.isOpen === false && fold.members.some((member) => storages.has(member.storage))),
    ),
    fresh: rows.filter(
      ({ slots, fold }) =>
        slots.some(({ from, to }) => from > before && from <= tick && tick < to) ||
        (fold?.isOpen === false && fold.group.key !== FREED && isWithin(fold, before, tick)),
    ),
  };
}

/**
 * The row of the folded group that contains a storage at a stop.
 * @param {MemoryLayout} layout
 * @param {State} state
 * @param {number} storage
 */
export function foldAround({ rows }, { tick }, storage) {
  return rows.find(
    ({ fold, until }) =>
      fold?.isOpen === false &&
      tick < until &&
      fold.members.some((member) => member.storage === storage && member.from <= tick),
  );
}

/**
 * Whether a storage is added to a group between two ticks.
 * @param {FoldedStorages} fold
 * @param {number} after
 * @param {number} until
 */
function isWithin({ members }, after, until) {
  const next = members[firstWhere(members.length, (place) => (members[place]?.from ?? 0) > after)];
  return next !== undefined && next.from <= until;
}

/**
 * @param {MemoryRow} row
 * @param {State} state
 */
export function existsAt({ storage, fold, from, until, freed }, { tick, before }) {
  return from <= tick && tick < until && (storage !== null || fold !== null || freed > before);
}

/**
 * The storage from which another storage takes the row in this step, and whether the taking storage is newly
 * allocated. Null: no storage had the row before, or this step does not change the row's owner.
 * @param {Index} index
 * @param {MemoryRow} row
 * @param {State} state
 * @returns {{other: string, memory: "new" | "old", other_is: "freed" | "kept"} | null}
 */
export function takenFrom(index, { storage, after, from }, { before, tick }) {
  if (after === null || from <= before || from > tick) return null;
  const born = index.storages[storage ?? -1]?.born ?? 0;
  return {
    other: `S${after.storage}`,
    memory: born > before ? "new" : "old",
    other_is: after.isFreed ? "freed" : "kept",
  };
}

/** The maximum number of rows for which a story names the previous owners. */
const MOST_TOLD = 4;

/**
 * The sentences about rows of the memory picture that show another storage from this step on.
 * @param {Index} index
 * @param {MemoryLayout} layout
 * @param {State} state
 * @returns {Sentence[]}
 */
export function rowsTaken(index, layout, state) {
  const taken = rowsAt(layout, state).flatMap((row) => {
    const from = row.storage === null ? null : takenFrom(index, row, state);
    return from === null ? [] : [{ id: "story-row-taken", args: { storage: `S${row.storage}`, ...from } }];
  });
  const more = taken.length - MOST_TOLD;
  return more <= 0
    ? taken
    : [...taken.slice(0, MOST_TOLD), { id: "story-rows-taken-more", args: { count: more } }];
}

/**
 * The row for a storage that a step changes but that has no row of its own.
 * @param {Spares} spares
 * @param {State} state
 * @returns {MemoryRow | undefined}
 */
export function spareAt({ of, fresh }, state) {
  const first = firstWhere(fresh.length, (at) => (fresh[at]?.from ?? 0) > state.before);
  const rows = /** @type {MemoryRow[]} */ (
    [...state.writes.map(({ storage }) => of.get(storage)), fresh[first]?.row].filter(
      (row) => row !== undefined && existsAt(row, state),
    )
  );
  const subjects = subjectsOf(rows, state);
  return subjects.written[0] ?? subjects.fresh[0];
}

/**
 * The tensors of a row that exist at a stop, with their positions.
 * @param {MemoryRow} row
 * @param {State} state
 */
export function slotsAt(row, { tick, tensors }) {
  return row.slots.filter((slot) => slot.from <= tick && tick < slot.to && tensors.has(slot.tensor));
}

/**
 * The number of storages or tensors that exist at a stop but are not drawn.
 * @param {Others | null} others
 * @param {State} state
 */
export function othersAt(others, { tick }) {
  if (others === null) return 0;
  return upTo(others.from, tick) - upTo(others.to, tick);
}
