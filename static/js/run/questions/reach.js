/**
 * Owns how far the tensors of a run use a storage from its beginning, because an operator may allocate more
 * bytes than its result needs. Pure.
 */

import { everOver } from "../values/arrays.js";
import { at } from "../facts.js";
import { itemsize } from "../values/format.js";
import { perTrace } from "../per-run.js";

/** @import {Geometry} from "../trace.d.ts" */
/** @import {Index, Message} from "../types.d.ts" */

/**
 * For each storage, the end of the last byte that any tensor or write of the run uses; Infinity if it is not
 * known.
 */
const reaches = perTrace((/** @type {Index} */ index) => {
  /** @type {Map<number, number>} */
  const ends = new Map();
  const note = (/** @type {number} */ storage, /** @type {number} */ end) =>
    ends.set(storage, Math.max(ends.get(storage) ?? 0, end));
  for (const { geometry = [] } of index.tensors)
    for (const [, each] of geometry) if (each?.storage != null) note(each.storage, endOf(each));
  for (const { geometry } of index.saved_tensors)
    if (geometry.storage !== null) note(geometry.storage, endOf(geometry));
  for (const { storage, end } of index.writes) note(storage, end);
  return ends;
});

/** @param {Geometry} geometry */
function endOf({ shape, stride, storage_offset, dtype }) {
  if (stride === null || storage_offset === null) return Infinity;
  if (shape.includes(0)) return 0;
  const last = shape.reduce((sum, size, at) => sum + (size - 1) * (stride[at] ?? 0), storage_offset);
  return (last + 1) * itemsize(dtype);
}

/**
 * The end of the last byte of a storage that any tensor, saved tensor or write of the run uses. The result
 * is Infinity if the end is not known, if no byte is used, or if a NumPy array shares the memory.
 * @param {Index} index
 * @param {number} storage
 */
export function reachOf(index, storage) {
  const end = reaches(index).get(storage) ?? 0;
  return end === 0 || everOver(index, storage).length > 0 ? Infinity : end;
}

/**
 * The message about bytes at the end of a storage that no tensor of the run uses.
 * @param {Index} index
 * @param {number} storage
 * @param {number} tick
 * @returns {Message[]}
 */
export function unreadOf(index, storage, tick) {
  const count = (at(index.storages[storage]?.nbytes, tick) ?? 0) - reachOf(index, storage);
  return count > 0 ? [{ id: "storage-unread", args: { storage: `S${storage}`, count } }] : [];
}
