/**
 * Owns which stop of a run is shown first: the first at which one of its pictures shows something, and of a
 * construction its end. Pure.
 */

import { constructionBetween, constructionsOf } from "./constructions.js";
import { stopAtTick } from "../facts.js";
import { perRun } from "../per-run.js";

/** @import {Index} from "../types.d.ts" */

/**
 * The first stop at which a storage or a Node exists, where a walk from the start stops; without any, the
 * first of all.
 * @param {Index} index
 */
export function firstShown(index) {
  const found = firstWithAny(index, [index.storages, index.nodes]);
  const first = found < 0 ? 0 : found;
  const constructions = constructionsOf(index);
  const { over = -1 } = constructionBetween(constructions, first, -1) ?? {};
  const shown = [...constructions.shown].filter((k) => k >= first && k < over);
  return over < 0 ? first : Math.min(over, ...shown);
}

/**
 * The first stop at which a Node exists; -1: there is none.
 * @param {Index} index
 */
export const firstWithNode = perRun((/** @type {Index} */ index) => firstWithAny(index, [index.nodes]));

/**
 * @param {Index} index
 * @param {{born: number, freed?: number | null}[][]} kinds of records
 */
function firstWithAny(index, kinds) {
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
