/**
 * Owns keyboard navigation in the memory picture: between a name, its tensor, the storage and its cells.
 * Pure.
 */

import { rowsAt, slotsAt } from "./memory-rows.js";

/** @import {MemoryLayout, MemoryRow, State, Subject} from "../run/types.d.ts" */

/**
 * A line for keyboard navigation: one tensor with its names, its storage and the storage's cells.
 * @typedef {{row: MemoryRow, things: Subject[], cells: number}} Line
 */

/**
 * @param {Subject | null} a
 * @param {Subject | null} b
 */
export function isSame(a, b) {
  return a !== null && b !== null && a.kind === b.kind && a.id === b.id && a.cell === b.cell;
}

/**
 * The subject with a label's key: `n3` is name 3, `g5` is the gradient of tensor 5.
 * @param {string} key
 * @returns {Subject | null}
 */
export function labelled(key) {
  const id = Number(key.slice(1));
  return Number.isInteger(id) && /^[ng]/.test(key)
    ? { kind: key.startsWith("g") ? "grad" : "name", id }
    : null;
}

/**
 * The subject to which an arrow key leads. Left and right lead between name, tensor, storage and cell of one
 * line. Up and down lead to a cell in the next row of cells, or else to another tensor, storage or group.
 * @param {MemoryLayout} layout
 * @param {State} now
 * @param {Subject | null} subject
 * @param {-1 | 0 | 1} across
 * @param {-1 | 0 | 1} down
 * @returns {Subject | null}
 */
export function beside(layout, now, subject, across, down) {
  const lines = rowsAt(layout, now).flatMap((row) => linesOf(layout, row, now));
  const at = lines.findIndex((line) => placeIn(line, subject) >= 0);
  const line = lines[at];
  if (line === undefined || subject === null) return lines[0]?.things[0] ?? null;
  if (down === 0) return thingAt(line, placeIn(line, subject) + across) ?? subject;
  const below =
    subject.kind === "cell"
      ? cellIn(line, (subject.cell ?? 0) + down * (line.row.strip?.columns ?? 1))
      : undefined;
  if (below !== undefined) return below;
  // A storage is in the line of each of its tensors, so skip the other lines of the same storage.
  const isShared = subject.kind === "storage" || subject.kind === "cell";
  const next =
    lines[
      isShared ? (down < 0 ? at - 1 : lines.findLastIndex((each) => each.row === line.row) + 1) : at + down
    ];
  return next === undefined ? subject : sameKindIn(next, subject);
}

/**
 * The lines of a row. Each tensor has a line with up to two names, the tensor and its storage. A folded
 * group has one line.
 * @param {MemoryLayout} layout
 * @param {MemoryRow} row
 * @param {State} now
 * @returns {Line[]}
 */
function linesOf({ groups }, row, now) {
  if (row.fold !== null) {
    const { key } = row.fold.group;
    return [
      { row, things: [{ kind: "fold", id: groups.findIndex((group) => group.key === key) }], cells: 0 },
    ];
  }
  const contents = row.storage === null ? null : now.storages.get(row.storage)?.contents;
  const cells =
    contents?.kind === "cells" && row.strip?.mode === "cells"
      ? Math.min(contents.values.length, row.strip.count)
      : 0;
  return slotsAt(row, now).map(({ tensor }) => {
    const names = (now.tensors.get(tensor)?.labels ?? [])
      .slice(0, 2)
      .map((label) => labelled(label.key))
      .filter((name) => name !== null);
    /** @type {Subject[]} */
    const things = [...names, { kind: "tensor", id: tensor }];
    if (row.storage !== null) things.push({ kind: "storage", id: row.storage });
    return { row, things, cells };
  });
}

/**
 * @param {Line} line
 * @param {Subject | null} subject
 */
function placeIn(line, subject) {
  if (subject?.kind === "cell" && subject.id === line.row.storage && (subject.cell ?? 0) < line.cells)
    return line.things.length + (subject.cell ?? 0);
  return line.things.findIndex((thing) => isSame(thing, subject));
}

/**
 * @param {Line} line
 * @param {number} place
 */
function thingAt(line, place) {
  return line.things[place] ?? cellIn(line, place - line.things.length);
}

/**
 * @param {Line} line
 * @param {number} cell
 * @returns {Subject | undefined}
 */
function cellIn({ row, cells }, cell) {
  return row.storage !== null && cell >= 0 && cell < cells
    ? { kind: "cell", id: row.storage, cell }
    : undefined;
}

/**
 * The subject in a line that is of the same kind as the given subject, or else the line's tensor.
 * @param {Line} line
 * @param {Subject} subject
 * @returns {Subject | null}
 */
function sameKindIn(line, subject) {
  const cell =
    subject.kind === "cell" ? cellIn(line, Math.min(subject.cell ?? 0, line.cells - 1)) : undefined;
  const kinds =
    subject.kind === "name" || subject.kind === "grad"
      ? ["name", "grad"]
      : subject.kind === "cell"
        ? ["storage"]
        : [subject.kind];
  return (
    cell ??
    line.things.find((thing) => kinds.includes(thing.kind)) ??
    line.things.find((thing) => thing.kind === "tensor") ??
    line.things[0] ??
    null
  );
}
