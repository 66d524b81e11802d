/** Owns which stop of a run is shown first: the first at which one of its pictures shows something. Pure. */

import { stopAtTick } from "./facts.js";

/** @import {Index} from "./types.d.ts" */

/**
 * The first stop at which a storage or a Node exists; without any, the first of all.
 * @param {Index} index
 */
export function firstShown(index) {
  const tickAt = (/** @type {number} */ stop) => index.stops[stop]?.tick ?? -1;
  let first = index.stops.length;
  for (const records of [index.storages, index.nodes])
    for (const { born, freed = Infinity } of records) {
      if (first < index.stops.length && born > tickAt(first - 1)) continue;
      const stop = stopAtTick(index, born);
      if (stop < first && born <= tickAt(stop) && freed > tickAt(stop)) first = stop;
    }
  return first === index.stops.length ? 0 : first;
}
