/**
 * Finds the rows of the memory picture that should be visible at a stop: written storages, the gradient that
 * is accumulated into, new tensors, and the saved tensors that are read. Pure.
 */

import { addTo } from "../run/grouped.js";
import { FREED } from "./folds/freed-folds.js";
import { existsAt, rowsAt, spareAt, subjectsOf } from "./memory-rows.js";
import { constructionsOf, endingAt } from "../run/stops/constructions.js";
import { perRun } from "../run/per-run.js";
import { firstWhere } from "../run/sorted.js";

/** @import {Box, FoldedStorages, Index, MemoryLayout, MemoryRow, State} from "../run/types.d.ts" */
/** @import {Wanted} from "./scroll-plan.js" */

/**
 * The maximum number of new parameters that should be visible together, because more do not fit into a pane.
 */
const MOST_LEAVES = 32;

/**
 * The rows of the memory picture that should be visible at a stop. If many storages are written or new, only
 * some of their rows must be visible, preferably those of new tensors with a name. Several new leaves count
 * as a model, of which the first parameters are shown. The row of a folded group stands for the storages in
 * it. A Node that only reads its saved tensors does not scroll memory, because its box in the graph shows
 * them. When the last freed storages fold, the line of freed storages and the remaining rows are shown.
 * @param {Index} index
 * @param {MemoryLayout} layout
 * @param {State} state
 * @returns {Wanted}
 */
export function wantedInMemory(index, layout, state) {
  const rowsOf = (/** @type {number | null | undefined} */ storage) =>
    (rowsByStorage(layout).get(storage ?? -1) ?? [])
      .filter(({ row, from }) => from <= state.tick && existsAt(row, state))
      .map(({ row }) => row);
  const before = begunAt(index, state);
  const fresh = freshAt(layout, { ...state, before });
  const named = fresh.filter(({ slot }) =>
    state.tensors.get(slot.tensor)?.labels.some(({ is_grad }) => !is_grad),
  );
  const leaves = named.filter(({ slot }) => state.tensors.get(slot.tensor)?.look === "leaf");
  const isNewParameter = (/** @type {FoldedStorages["members"][number]} */ { role, from }) =>
    role === "parameter" && from > before && from <= state.tick;
  const groups = foldsThatGrow(layout, { ...state, before });
  const modules = groups.filter(({ fold }) => fold?.members.some(isNewParameter));
  const isModel = leaves.length > 1 || modules.length > 0;
  const isOlder = (/** @type {number} */ storage) => (index.storages[storage]?.born ?? 0) <= state.before;
  const changed = state.writes
    .filter(({ changed, storage }) => changed !== false && (!isModel || isOlder(storage)))
    .map(({ storage }) => storage);
  const written = [...new Set(changed)].reverse().flatMap(rowsOf).map(partsOf);
  const parts = (named.length > 0 ? named : fresh).map(({ row, slot }) => [bandOf(row, slot), row]).reverse();
  const model = [...leaves.map(({ row }) => row), ...modules].sort((a, b) => a.y - b.y);
  const shown = isModel ? [model.slice(0, MOST_LEAVES).flatMap(partsOf)] : parts;
  const made = shown.length > 0 ? shown : groups.map((row) => [row]);
  const saved = index.saved_of[state.stop.node ?? -1] ?? [];
  const read = saved.flatMap(({ geometry }) => rowsOf(geometry.storage));
  const gradient = rowsOf(gradientOf(index, state));
  const also = [...read, ...written.flat(), ...made.flat()];
  if (written.length > 0) return { either: written.map((parts) => [...parts, ...gradient, ...read]), also };
  if (gradient.length > 0) return { either: [[...gradient, ...read]], also };
  if (made.length > 0) return { either: made, also };
  const spare = layout.spares === null ? undefined : spareAt(layout.spares, state);
  return { either: spare === undefined ? livingAt(layout, state) : [[spare]], also };
}

/**
 * The nearest row to which the picture must scroll to show a storage that is not freed; null if such a row
 * is already visible.
 * @param {MemoryLayout} layout
 * @param {State} state
 * @param {Box} view the visible part
 */
export function nearestRow(layout, state, { y, height }) {
  const all = rowsAt(layout, state);
  const living = all.filter((row) => row.freed > state.tick);
  const rows = living.length > 0 ? living : all;
  const away = (/** @type {Box} */ row) => Math.max(0, row.y - y - height, y - row.y - row.height);
  if (rows.length === 0) return null;
  const nearest = rows.reduce((best, row) => (away(row) < away(best) ? row : best));
  return away(nearest) === 0 ? null : nearest;
}

/**
 * The rows of storages that are not freed, from the top, and the line of freed storages. The result is empty
 * unless the last freed storages join that line in this step.
 * @param {MemoryLayout} layout
 * @param {State} state
 * @returns {Box[][]}
 */
function livingAt(layout, state) {
  const line = freedLine(layout);
  const last = line?.fold?.members.at(-1)?.from ?? Infinity;
  if (line === undefined || last <= state.before || last > state.tick) return [];
  const living = rowsAt(layout, state).filter(({ freed }) => freed > state.tick);
  return [[...living.sort((a, b) => a.y - b.y), line]];
}

const freedLine = perRun((/** @type {MemoryLayout} */ { rows }) =>
  rows.find(({ fold }) => fold?.isOpen === false && fold.group.key === FREED),
);

/**
 * The areas of a row that should be visible, the most important first: the cells, then the whole row.
 * @param {MemoryRow} row
 * @returns {Box[]}
 */
function partsOf(row) {
  return row.strip === null ? [row] : [bandOf(row, row.strip), row];
}

/**
 * The area of a row at the height of one of its elements, over the row's whole width.
 * @param {MemoryRow} row
 * @param {Box} part
 * @returns {Box}
 */
function bandOf({ x, width }, { y, height }) {
  return { x, width, y, height };
}

/**
 * The storage of the gradient that the running Node accumulates into.
 * @param {Index} index
 * @param {State} state
 */
function gradientOf(index, { stop, tensors }) {
  const leaf = index.nodes[stop.node ?? -1]?.variable ?? -1;
  return tensors.get(tensors.get(leaf)?.grad ?? -1)?.geometry?.storage;
}

/**
 * By storage: its own rows and the rows of folded groups that contain it, each with the tick from which the
 * row shows the storage.
 */
const rowsByStorage = perRun((/** @type {MemoryLayout} */ { rows }) => {
  /** @type {Map<number, {row: MemoryRow, from: number}[]>} */
  const by = new Map();
  for (const row of rows) {
    if (row.storage !== null) addTo(by, row.storage, { row, from: row.from });
    if (row.fold?.isOpen === false)
      for (const { storage, from } of row.fold.members) addTo(by, storage, { row, from });
  }
  return by;
});

const foldedRows = perRun((/** @type {MemoryLayout} */ { rows }) =>
  rows.filter(({ fold }) => fold?.isOpen === false),
);

/**
 * The rows of folded groups to which this step adds a storage.
 * @param {MemoryLayout} layout
 * @param {State} state
 */
function foldsThatGrow(layout, state) {
  return subjectsOf(foldedRows(layout), state).fresh.filter((row) => existsAt(row, state));
}

const slotsByTime = perRun((/** @type {MemoryLayout} */ { rows }) =>
  rows.flatMap((row) => row.slots.map((slot) => ({ row, slot }))).sort((a, b) => a.slot.from - b.slot.from),
);

/**
 * The tick after which tensors count as new at a stop. When the construction of a module ends, all tensors
 * that it created count as new.
 * @param {Index} index
 * @param {State} state
 */
function begunAt(index, { k, before }) {
  const began = endingAt(constructionsOf(index), k).map(({ from }) => index.stops[from - 1]?.tick ?? -1);
  return Math.min(before, ...began);
}

/**
 * The tensors that the memory picture shows from this stop on, oldest first.
 * @param {MemoryLayout} layout
 * @param {State} state
 */
function freshAt(layout, { before, tick }) {
  const slots = slotsByTime(layout);
  const after = (/** @type {number} */ than) =>
    firstWhere(slots.length, (at) => (slots[at]?.slot.from ?? 0) > than);
  return slots.slice(after(before), after(tick)).filter(({ slot }) => tick < slot.to);
}
