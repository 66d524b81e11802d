/** Owns what the truth of questions is looked up by: what ran, changed, had a name between ticks. Pure. */

import { at } from "../facts.js";

/** @import {Contents} from "../trace.d.ts" */
/** @import {Index} from "../types.d.ts" */

/** @typedef {Extract<Contents, {kind: "cells"}>} Cells */

/**
 * Whether an object with these ticks of creation and death exists at another tick.
 * @param {number} born
 * @param {number | undefined} gone
 * @param {number} tick
 */
export function isThere(born, gone, tick) {
  return born <= tick && (gone === undefined || gone > tick);
}

/**
 * The runs of Nodes that began and ended within, in the order in which they began.
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
 * The tensors that a name leads to, in order.
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
 * The cells of a storage, where they were kept.
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
 * By storage that was written and is still there, the cells that hold something else; null where one was not
 * seen.
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
 * Whether two elements are the same; a complex one is a pair.
 * @param {unknown} one
 * @param {unknown} other
 */
function isSame(one, other) {
  return Array.isArray(one) && Array.isArray(other)
    ? one.every((part, place) => part === other[place])
    : one === other;
}

/**
 * The version at which a counter is, where it was seen.
 * @param {Index} index
 * @param {number} counter
 * @param {number} tick
 */
export function versionOf(index, counter, tick) {
  const version = at(index.version_counters[counter]?.version, tick);
  return typeof version === "number" ? version : null;
}

/**
 * The counters of the tensors that have a name, in order.
 * @param {Index} index
 * @param {number} tick
 * @returns {number[]}
 */
export function countersAt(index, tick) {
  const counters = namedAt(index, tick).map((tensor) => at(index.tensors[tensor]?.version_counter, tick));
  return [...new Set(counters.filter((counter) => typeof counter === "number"))].sort((a, b) => a - b);
}

/**
 * The first write after which a saved tensor is not what its Node saved: its version is another, or its
 * values are; null: there is none.
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
 * The write for which a saved tensor is not what its Node saved at a tick; one that torch notices comes
 * first.
 * @param {Index["saved_tensors"][number] | undefined} saved
 * @param {number} tick
 * @returns {number | null}
 */
export function spoiltBy(saved, tick) {
  return at(saved?.outdated, tick) ?? at(saved?.overwritten, tick) ?? null;
}
