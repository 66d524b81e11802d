/**
 * Owns which storages share bytes at a tick. For example, two calls of `from_numpy` with one array create
 * two storages over the same memory. Pure.
 */

import { at } from "./facts.js";
import { perRun } from "./per-run.js";
import { firstWhere } from "./sorted.js";

/** @import {Storage} from "./trace.d.ts" */
/** @import {Index} from "./types.d.ts" */

/** @typedef {{storage: Storage, begin: number, end: number}} Span */

/**
 * For each storage that shares bytes with another live storage at a tick, the id of such a storage.
 * @param {Index} index
 * @param {number} tick
 * @returns {Map<number, number>}
 */
export function overlapsAt(index, tick) {
  const spans = [];
  for (const { id, born, freed, device, address, moved, nbytes } of everOver(index.storages)) {
    const begin = Number(at(moved, tick) ?? address);
    const size = at(nbytes, tick) ?? 0;
    if (born > tick || (freed !== undefined && freed <= tick) || begin === 0 || size === 0) continue;
    spans.push({ id, device, begin, end: begin + size });
  }
  spans.sort((a, b) =>
    a.device === b.device ? a.begin - b.begin || a.id - b.id : a.device < b.device ? -1 : 1,
  );
  /** @type {Map<number, number>} */
  const found = new Map();
  const note = (/** @type {number} */ storage, /** @type {number} */ other) =>
    found.set(storage, Math.min(found.get(storage) ?? Infinity, other));
  let widest = spans[0];
  for (const span of spans.slice(1)) {
    if (widest !== undefined && widest.device === span.device && span.begin < widest.end) {
      note(span.id, widest.id);
      note(widest.id, span.id);
    }
    if (widest === undefined || widest.device !== span.device || span.end > widest.end) widest = span;
  }
  return found;
}

/**
 * The maximum number of storages examined, and of storages that share bytes. No known run reaches either
 * maximum.
 */
const MOST = { storages: 20_000, over: 500 };

/**
 * The storages that share bytes with another storage at any tick; in most runs there are none. The search
 * goes through the ticks in order and keeps the live byte ranges of each device sorted by address.
 */
const everOver = perRun((/** @type {Index["storages"]} */ all) => {
  const storages = all.slice(0, MOST.storages);
  /** @type {Set<Storage>} */
  const over = new Set();
  /** @type {Map<string, Span[]>} */
  const live = new Map();
  /** @type {Map<Storage, Span>} */
  const span_of = new Map();
  for (const { tick, storage } of eventsOf(storages)) {
    if (over.size > MOST.over) break;
    const spans = live.get(storage.device) ?? [];
    live.set(storage.device, spans);
    const old = span_of.get(storage);
    if (old !== undefined) spans.splice(spans.indexOf(old, firstFrom(spans, old.begin)), 1);
    span_of.delete(storage);
    const begin = Number(at(storage.moved, tick) ?? storage.address);
    const size = at(storage.nbytes, tick) ?? 0;
    if (begin === 0 || size === 0 || (storage.freed !== undefined && storage.freed <= tick)) continue;
    const span = { storage, begin, end: begin + size };
    const place = firstFrom(spans, begin);
    // A byte range that overlaps neither neighbour in the order of addresses can only overlap ranges that
    // overlap each other, and these are already in `over`.
    const near = [
      spans[place - 1],
      spans[place],
      ...[...over].map((overlapping) => span_of.get(overlapping)),
    ];
    spans.splice(place, 0, span);
    span_of.set(storage, span);
    for (const other of near) {
      if (
        other === undefined ||
        other.storage.device !== storage.device ||
        other.begin >= span.end ||
        other.end <= begin
      )
        continue;
      over.add(storage).add(other.storage);
    }
  }
  return storages.filter((storage) => over.has(storage));
});

/**
 * Every tick at which a storage is created, freed, resized or moved.
 * @param {Storage[]} storages
 */
function eventsOf(storages) {
  const events = storages.flatMap((storage) => {
    const ticks = new Set([
      storage.born,
      ...(storage.nbytes ?? []).map(([tick]) => tick),
      ...(storage.moved ?? []).map(([tick]) => tick),
    ]);
    if (storage.freed !== undefined) ticks.add(storage.freed);
    return [...ticks].filter((tick) => tick >= storage.born).map((tick) => ({ tick, storage }));
  });
  return events.sort((a, b) => a.tick - b.tick || a.storage.id - b.storage.id);
}

/**
 * The index of the first span that begins at `begin` or later.
 * @param {Span[]} spans
 * @param {number} begin
 */
function firstFrom(spans, begin) {
  return firstWhere(spans.length, (at) => /** @type {Span} */ (spans[at]).begin >= begin);
}
