/** Owns the first stops at which the pictures of a run are not empty. Pure. */

import { stopAtTick } from "../facts.js";
import { perRun } from "../per-run.js";

/** @import {Index} from "../types.d.ts" */

/**
 * The first stop at which a Node of the graph exists; -1 if there is none.
 * @param {Index} index
 */
export const firstWithNode = perRun((/** @type {Index} */ index) => firstWithAny(index, [index.nodes]));

/**
 * The first stop at which any of the given records, such as storages, exists; -1 if there is none.
 * @param {Index} index
 * @param {{born: number, freed?: number | null}[][]} kinds of records
 */
export function firstWithAny(index, kinds) {
  const tickAt = (/** @type {number} */ stop) => index.stops[stop]?.tick ?? -1;
  let first = index.stops.length;
  for (const records of kinds)
    for (const { born, freed } of records) {
      if (first < index.stops.length && born > tickAt(first - 1)) continue;
      const stop = stopAtTick(index, born);
      if (stop < first && born <= tickAt(stop) && (freed ?? Infinity) > tickAt(stop)) first = stop;
    }
  return first === index.stops.length ? -1 : first;
}
