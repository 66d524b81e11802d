/**
 * Owns the spans of time in which tensors use storages. A tenant is a storage or a folded group that takes a
 * row of the memory picture. Pure.
 */

import { everName } from "../run/naming/naming.js";
import { perTraceInSlices } from "../run/per-run.js";

/** @import {FoldedStorages, Index} from "../run/types.d.ts" */

/** @typedef {{tensor: number, storage: number | null, from: number, to: number}} Stay */

/**
 * @typedef {{
 *   key: string,
 *   storage: number | null,
 *   name: string,
 *   from: number,
 *   to: number,
 *   stays: Stay[],
 *   owner: Tenant | null,
 *   isCut: boolean,
 *   fold: FoldedStorages | null,
 * }} Tenant `owner`: the title of the open group that contains it; `isCut`: whether the storage still exists
 * after `to`, in a folded group
 */

/**
 * The maximum number of storages shown at once, and of tensors shown for one storage. Pinned storages and
 * tensors are always shown, and all others beyond the maximum are only counted.
 */
export const MOST_SHOWN = { storages: 1000, tensors: 24 };

/** The number of rows after which a sliced task yields. */
export const PAUSE = 100;

/**
 * For each shown tensor, the spans of ticks in which it uses a storage. A tensor is shown if it is ever
 * named or saved, or if it is the gradient of a shown tensor.
 */
export const allStays = perTraceInSlices(function* (/** @type {Index} */ index) {
  /** @type {Map<number, number>} */
  const from = new Map();
  const note = (/** @type {number | null} */ tensor, /** @type {number} */ tick) => {
    if (tensor !== null) from.set(tensor, Math.min(from.get(tensor) ?? Infinity, tick));
  };
  for (const name of index.names) {
    if (name.id % PAUSE === 0) yield;
    for (const [tick, tensor] of name.tensor ?? []) note(tensor, tick);
  }
  for (const tensor of index.tensors)
    for (const [tick, grad] of tensor.grad ?? []) if (from.has(tensor.id)) note(grad, tick);
  yield;
  for (const saved of index.saved_tensors) note(saved.tensor, saved.tick);
  yield;
  /** @type {Stay[]} */
  const found = [];
  for (const [id, tick] of from) {
    if (found.length % PAUSE === 0) yield;
    const tensor = index.tensors[id];
    for (const [number, [since, geometry]] of (tensor?.geometry ?? []).entries()) {
      const next = tensor?.geometry?.[number + 1]?.[0] ?? tensor?.died ?? Infinity;
      if (next > tick)
        found.push({ tensor: id, storage: geometry.storage, from: Math.max(since, tick), to: next });
    }
  }
  yield;
  return yield* merged(found.sort((a, b) => a.from - b.from || a.tensor - b.tensor));
});

/**
 * Joins consecutive stays of a tensor in a storage if only the tensor's shape changed between them.
 * @param {Stay[]} stays in order of time
 * @returns {Generator<void, Stay[]>}
 */
function* merged(stays) {
  /** @type {Map<string, Stay>} */
  const latest = new Map();
  /** @type {Stay[]} */
  const result = [];
  for (const [number, stay] of stays.entries()) {
    if (number % PAUSE === 0) yield;
    const key = `${stay.tensor} ${stay.storage}`;
    const before = latest.get(key);
    if (before?.to === stay.from) before.to = stay.to;
    else {
      const copy = { ...stay };
      latest.set(key, copy);
      result.push(copy);
    }
  }
  return result;
}

/**
 * @param {Index} index
 * @param {Set<string>} hidden
 * @returns {Generator<void, Tenant[]>}
 */
export function* tenantsOf(index, hidden) {
  /** @type {Map<string, Tenant>} */
  const tenants = new Map();
  for (const [number, stay] of allStays.of(index).entries()) {
    if (number % PAUSE === 0) yield;
    if (hidden.has(everName(index, stay.tensor) ?? "")) continue;
    const key = stay.storage === null ? `t${stay.tensor}` : `s${stay.storage}`;
    const tenant = tenants.get(key);
    if (tenant) tenant.stays.push(stay);
    else {
      const freed = stay.storage === null ? stay.to : (index.storages[stay.storage]?.freed ?? Infinity);
      tenants.set(key, {
        key,
        storage: stay.storage,
        name: everName(index, stay.tensor) ?? "",
        from: stay.from,
        to: freed,
        stays: [stay],
        owner: null,
        isCut: false,
        fold: null,
      });
    }
  }
  return [...tenants.values()];
}
