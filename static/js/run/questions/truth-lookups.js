/**
 * Owns the look-ups for right answers to questions: Nodes that ran and values that changed between two
 * ticks, and tensors that had a name. Pure.
 */

import { at } from "../facts.js";

/** @import {Contents} from "../trace.d.ts" */
/** @import {Index} from "../types.d.ts" */

/** @typedef {Extract<Contents, {kind: "cells"}>} Cells */

/**
 * Whether an object exists at a tick, given the ticks at which it was created and freed.
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
 * The leaf whose `grad` an AccumulateGrad Node changes; null for another Node.
 * @param {Index} index
 * @param {number} node
 */
export function leafOf(index, node) {
  return index.nodes[node]?.variable ?? null;
}

/**
 * The ids of the tensors that have a name at a tick, in ascending order.
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
 * The recorded elements of a storage at a tick; null if only a summary was recorded.
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
 * For each storage that was written between two ticks and exists at both, the cells whose values differ;
 * null if some values were not recorded.
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
 * Whether two elements are equal. A complex element is a pair of numbers.
 * @param {unknown} one
 * @param {unknown} other
 */
function isSame(one, other) {
  return Array.isArray(one) && Array.isArray(other)
    ? one.every((part, place) => part === other[place])
    : one === other;
}

/**
 * The value of a version counter at a tick; null if it was not recorded.
 * @param {Index} index
 * @param {number} counter
 * @param {number} tick
 */
export function versionOf(index, counter, tick) {
  const version = at(index.version_counters[counter]?.version, tick);
  return typeof version === "number" ? version : null;
}

/**
 * The ids of the version counters of tensors that have a name at a tick, in ascending order.
 * @param {Index} index
 * @param {number} tick
 * @returns {number[]}
 */
export function countersAt(index, tick) {
  const counters = namedAt(index, tick).map((tensor) => at(index.tensors[tensor]?.version_counter, tick));
  return [...new Set(counters.filter((counter) => typeof counter === "number"))].sort((a, b) => a - b);
}

/**
 * The first write that made a saved tensor stale, because its version or its values changed, and the write's
 * tick; null if there is none.
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
 * The write because of which a saved tensor is stale at a tick; null if it is not stale. A write that
 * torch's version counter detects is preferred.
 * @param {Index["saved_tensors"][number] | undefined} saved
 * @param {number} tick
 * @returns {number | null}
 */
export function spoiltBy(saved, tick) {
  return at(saved?.outdated, tick) ?? at(saved?.overwritten, tick) ?? null;
}
