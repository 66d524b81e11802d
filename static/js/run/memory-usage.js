/**
 * Owns the memory in use at each stop: the bytes of all storages that are not freed. A storage counts once,
 * even if several tensors use it. Pure.
 */

import { perRun } from "./per-run.js";

/** @import {Range} from "./stops/stop-index.js" */
/** @import {Index} from "./types.d.ts" */

/**
 * @typedef {{bytes: number[], count: number[], peak: number[]}} MemoryUsage by stop: the bytes, the number of
 *   storages, and the first stop with the maximum so far
 */

/**
 * The peak of memory in use up to a stop, in bytes, and the first stop that reaches this peak.
 * @param {Index} index
 * @param {number} lastVisible
 */
export function peakOf(index, lastVisible) {
  const { bytes, peak } = memoryUsageOf(index);
  const k = peak[Math.min(lastVisible, index.stops.length - 1)] ?? 0;
  return { k, most: bytes[k] ?? 0 };
}

export const memoryUsageOf = perRun((/** @type {Index} */ index) => {
  const events = storageEvents(index).sort((a, b) => a.tick - b.tick);
  /** @type {MemoryUsage} */
  const usage = { bytes: [], count: [], peak: [] };
  let [next, bytes, count, peak] = [0, 0, 0, 0];
  for (const [k, stop] of index.stops.entries()) {
    for (let event = events[next]; event !== undefined && event.tick <= stop.tick; event = events[next]) {
      bytes += event.bytes;
      count += event.count;
      next += 1;
    }
    usage.bytes.push(bytes);
    usage.count.push(count);
    if (bytes > (usage.bytes[peak] ?? 0)) peak = k;
    usage.peak.push(peak);
  }
  return usage;
});

/**
 * The changes of memory in use, in bytes and in storages: storages that are created, resized and freed.
 * @param {Index} index
 */
function storageEvents(index) {
  /** @type {{tick: number, bytes: number, count: number}[]} */
  const events = [];
  for (const { born, freed = Infinity, nbytes } of index.storages) {
    let size = 0;
    for (const [tick, value] of nbytes ?? []) {
      if (tick >= freed) break;
      events.push({ tick: Math.max(tick, born), bytes: value - size, count: 0 });
      size = value;
    }
    events.push({ tick: born, bytes: 0, count: 1 });
    if (freed !== Infinity) events.push({ tick: freed, bytes: -size, count: -1 });
  }
  return events;
}

/**
 * The corners of the memory curve over a range of stops. A stop's value is drawn as a horizontal line that
 * extends halfway to the neighbouring stops. If several stops share a pixel, the curve has their first,
 * minimum, maximum and last value, so no peak or drop is lost.
 * @param {MemoryUsage} usage
 * @param {Range} range
 * @param {(k: number) => number} x
 * @param {number} lastVisible later stops are omitted
 * @returns {[number, number][]} pixels across, bytes
 */
export function curveOf({ bytes }, { from, to }, x, lastVisible) {
  const half = (x(from + 1) - x(from)) / 2;
  const end = Math.min(to, lastVisible);
  /** @type {[number, number][]} */
  const corners = [];
  if (half >= 0.5) {
    for (let k = from; k <= end; k += 1)
      corners.push(
        [k === from ? x(k) : x(k) - half, bytes[k] ?? 0],
        [k === to ? x(k) : x(k) + half, bytes[k] ?? 0],
      );
    return corners;
  }
  const each = Math.ceil(0.5 / half);
  for (let first = from; first <= end; first += each) {
    const part = bytes.slice(first, Math.min(first + each, end + 1));
    const across = x(first);
    for (const value of [part[0] ?? 0, Math.min(...part), Math.max(...part), part.at(-1) ?? 0])
      corners.push([across, value]);
  }
  return corners;
}
