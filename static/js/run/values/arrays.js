/**
 * Owns which NumPy arrays share the bytes of a storage. A write to a NumPy array that shares the bytes
 * changes the storage without incrementing a version counter. Pure.
 */

import { at } from "../facts.js";
import { isOver, textOf } from "../naming/naming.js";

/** @import {Held, Variable} from "../trace.d.ts" */
/** @import {Index, State} from "../types.d.ts" */

/** The maximum number of storages that are compared with a new array. The newest storages are preferred. */
const MOST_STORAGES = 5000;

/**
 * The names of the arrays that share the bytes of a storage at a stop.
 * @param {Index} index
 * @param {State} state
 * @param {number} storage
 */
export function arraysOver(index, { tick }, storage) {
  return over(index, tick, storage).map(({ variable }) => nameOf(index, variable));
}

/**
 * The arrays that began to share the bytes of a storage in this step, because the array or the storage is
 * new.
 * @param {Index} index
 * @param {State} state
 * @returns {{storage: number, name: string}[]}
 */
export function newArrays(index, { tick, before, tensors }) {
  const { arrays, born } = index.lookups;
  if (arrays().length === 0) return [];
  const rebound = new Set(
    arrays().filter((variable) => at(variable.value, tick) !== at(variable.value, before)),
  );
  const fresh = new Set(
    born
      .tensors()
      .within(before, tick)
      .map((tensor) => tensors.get(tensor.id)?.geometry?.storage)
      .filter((id) => id != null && (index.storages[id]?.born ?? 0) > before),
  );
  const candidates =
    rebound.size > 0
      ? index.storages
          .filter((storage) => storage.born <= tick)
          .slice(-MOST_STORAGES)
          .map((storage) => storage.id)
      : [...fresh];
  return candidates.flatMap((id) =>
    over(index, tick, id ?? -1)
      .filter(({ variable }) => rebound.has(variable) || fresh.has(id))
      .map(({ variable }) => ({ storage: id ?? -1, name: nameOf(index, variable) })),
  );
}

/**
 * The names of all NumPy arrays that share the bytes of a storage at any time in the run, for which a layout
 * reserves room.
 * @param {Index} index
 * @param {number} id
 */
export function everOver(index, id) {
  const storage = index.storages[id];
  if (storage === undefined || storage.device !== "cpu") return [];
  const nbytes = (storage.nbytes ?? []).reduce((most, [, bytes]) => Math.max(most, bytes), 0);
  const begins = [storage.address, ...(storage.moved ?? []).map(([, address]) => address)].map(Number);
  const lies = (/** @type {Held | null} */ held) =>
    held?.kind === "array" &&
    begins.some(
      (begin) => Number(held.address) < begin + nbytes && Number(held.address) + (held.span ?? 0) > begin,
    );
  return index.lookups
    .arrays()
    .filter((variable) => (variable.value ?? []).some(([, held]) => lies(held)))
    .map((variable) => nameOf(index, variable));
}

/**
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 * @returns {{variable: Variable, held: Held}[]}
 */
function over(index, tick, id) {
  const arrays = index.lookups.arrays();
  const storage = index.storages[id];
  if (
    arrays.length === 0 ||
    storage === undefined ||
    storage.born > tick ||
    (storage.freed !== undefined && storage.freed <= tick) ||
    storage.device !== "cpu"
  )
    return [];
  const begin = Number(at(storage.moved, tick) ?? storage.address);
  const end = begin + (at(storage.nbytes, tick) ?? 0);
  return arrays.flatMap((variable) => {
    const held = at(variable.value, tick);
    if (held?.kind !== "array" || isOver(index, variable.frame, tick)) return [];
    const from = Number(held.address);
    return from < end && from + (held.span ?? 0) > begin ? [{ variable, held }] : [];
  });
}

/**
 * @param {Index} index
 * @param {Variable} variable
 */
function nameOf(index, { name, frame }) {
  return textOf(index, { path: name, frame });
}
