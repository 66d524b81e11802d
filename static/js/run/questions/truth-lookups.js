/**
 * Owns the look-ups for the right answers to questions: the objects that ran, changed, or had a name between
 * ticks. Pure.
 */

import { at } from "../facts.js";

/** @import {Contents} from "../trace.d.ts" */
/** @import {Index} from "../types.d.ts" */

/** @typedef {Extract<Contents, {kind: "cells"}>} Cells */

/**
 * Whether an object that was created and freed at the given ticks exists at another tick.
 * @param {number} born
 * @param {number | undefined} gone
 * @param {number} tick
 */
export function isThere(born, gone, tick) {
  return born <= tick && (gone === undefined || gone > tick);
}

/**
 * The runs of Nodes that began and ended between two ticks, in order of their beginnings.
 * @param {Index} index
 * @param {number} after
 * @param {number} until
 */
export function runsBetween(index, after, until) {
  return index.runs
    .filter(({ began, ended }) => after < began && ended <= until)
    .sort((a, b) => a.began - b.began);
}

/**
 * The leaf that a Node accumulates into.
 * @param {Index} index
 * @param {number} node
 */
export function leafOf(index, node) {
  return index.nodes[node]?.variable ?? null;
}

/**
 * The tensors with names at a tick, in order.
 * @param {Index} index
 * @param {number} tick
 * @returns {number[]}
 */
export function namedAt(index, tick) {
  /** @type {Set<number>} */
  const found = new Set();
  for (const { tensor, frame } of index.names) {
    const id = at(tensor, tick) ?? -1;
    const isOver = frame !== 0 && (index.frames[frame]?.ended ?? tick) < tick;
    const { born = Infinity, died } = index.tensors[id] ?? {};
    if (!isOver && isThere(born, died, tick)) found.add(id);
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * The cells of a storage; null if the cells were not recorded.
 * @param {Index} index
 * @param {number} storage
 * @param {number} tick
 * @returns {Cells | null}
 */
export function realCells(index, storage, tick) {
  const contents = at(index.storages[storage]?.contents, tick);
  return contents?.kind === "cells" ? contents : null;
}

/**
 * By written storage that still exists, the cells with a changed value; null if a value was not recorded.
 * @param {Index} index
 * @param {number} after
 * @param {number} until
 * @returns {Map<number, number[]> | null}
 */
export function changedCells(index, after, until) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  for (const write of index.writes) {
    const { born = Infinity, freed } = index.storages[write.storage] ?? {};
    const isKept = isThere(born, freed, after) && isThere(born, freed, until);
    if (!(after < write.tick && write.tick <= until) || !isKept || found.has(write.storage)) continue;
    const [before, now] = [realCells(index, write.storage, after), realCells(index, write.storage, until)];
    if (before === null || now === null) return null;
    if (before.dtype !== now.dtype || before.values.length !== now.values.length) return null;
    found.set(
      write.storage,
      now.values.flatMap((value, cell) => (isSame(value, before.values[cell]) ? [] : [cell])),
    );
  }
  return found;
}

/**
 * Whether two elements are equal. A complex element is a pair.
 * @param {unknown} one
 * @param {unknown} other
 */
function isSame(one, other) {
  return Array.isArray(one) && Array.isArray(other)
    ? one.every((part, place) => part === other[place])
    : one === other;
}

/**
 * The value of a version counter, if the value was recorded.
 * @param {Index} index
 * @param {number} counter
 * @param {number} tick
 */
export function versionOf(index, counter, tick) {
  const version = at(index.version_counters[counter]?.version, tick);
  return typeof version === "number" ? version : null;
}

/**
 * The version counters of named tensors, in order.
 * @param {Index} index
 * @param {number} tick
 * @returns {number[]}
 */
export function countersAt(index, tick) {
  const counters = namedAt(index, tick).map((tensor) => at(index.tensors[tensor]?.version_counter, tick));
  return [...new Set(counters.filter((counter) => typeof counter === "number"))].sort((a, b) => a - b);
}

/**
 * The first write that made a saved tensor stale, by a changed version or changed values; null: there is
 * none.
 * @param {Index} index
 * @param {number} saved
 * @returns {{tick: number, write: number} | null}
 */
export function firstStale(index, saved) {
  const { outdated = [], overwritten = [] } = index.saved_tensors[saved] ?? {};
  const [first] = [...outdated.slice(0, 1), ...overwritten.slice(0, 1)].sort(([one], [other]) => one - other);
  return first === undefined ? null : { tick: first[0], write: first[1] ?? -1 };
}

/**
 * The write that made a saved tensor stale at a tick. A write that torch detects is preferred.
 * @param {Index["saved_tensors"][number] | undefined} saved
 * @param {number} tick
 * @returns {number | null}
 */
export function spoiltBy(saved, tick) {
  return at(saved?.outdated, tick) ?? at(saved?.overwritten, tick) ?? null;
}
