/**
 * Owns what a folded group of storages holds at a step: how many, how large, and which Nodes saved them.
 * Pure.
 */

import { at } from "../run/facts.js";
import { shortName } from "../run/format.js";
import { perRun, perTrace } from "../run/per-run.js";
import { firstWhere } from "../run/sorted.js";

/** @import {FoldedStorages, Index, State} from "../run/types.d.ts" */

/** @typedef {{tick: number, count: number, bytes: number}} Sum after a tick */

/**
 * @param {Index} index
 * @param {State} state
 * @param {FoldedStorages} fold
 */
export function foldContentsAt(index, { tick, before, writes }, fold) {
  const { sums, born, savers, storages } = factsOf(index)(fold);
  const now = sums[firstWhere(sums.length, (place) => (sums[place]?.tick ?? 0) > tick) - 1];
  const alive = [...savers].map(([name, { from, to }]) => ({
    name,
    count: upTo(from, tick) - upTo(to, tick),
  }));
  const count = now?.count ?? 0;
  return {
    count,
    bytes: now?.bytes ?? 0,
    /** Of those that are or were there. */
    born: upTo(born, tick),
    isFreed: count === 0,
    isNew: upTo(born, tick) > upTo(born, before),
    isWritten: writes.some((write) => write.changed !== false && storages.has(write.storage)),
    savers: alive
      .filter((saver) => saver.count > 0)
      .sort((a, b) => b.count - a.count)
      .map(({ name }) => name),
  };
}

/**
 * How many of these ticks are not later than a tick.
 * @param {number[]} ticks in order
 * @param {number} tick
 */
function upTo(ticks, tick) {
  return firstWhere(ticks.length, (place) => (ticks[place] ?? 0) > tick);
}

const factsOf = perTrace((/** @type {Index} */ index) =>
  perRun((/** @type {FoldedStorages} */ fold) => factsAbout(index, fold)),
);

/**
 * @param {Index} index
 * @param {FoldedStorages} fold
 */
function factsAbout(index, { members }) {
  /** @type {Sum[]} */
  const changes = [];
  /** @type {Map<string, {from: number[], to: number[]}>} */
  const savers = new Map();
  for (const { storage, from, to } of members) {
    const sizes = index.storages[storage]?.nbytes ?? [];
    let size = at(sizes, from) ?? 0;
    changes.push({ tick: from, count: 1, bytes: size });
    for (const [tick, bytes] of sizes) {
      if (tick <= from || tick >= to) continue;
      changes.push({ tick, count: 0, bytes: bytes - size });
      size = bytes;
    }
    changes.push({ tick: to, count: -1, bytes: -size });
    for (const saved of index.lookups.saved_in()(storage)) {
      const name = shortName(index.nodes[saved.node]?.name ?? "?");
      const spans = savers.get(name) ?? { from: [], to: [] };
      savers.set(name, spans);
      const [begin, end] = [Math.max(from, saved.tick), Math.min(to, saved.released ?? Infinity)];
      if (begin >= end) continue;
      spans.from.push(begin);
      spans.to.push(end);
    }
  }
  for (const { from, to } of savers.values()) for (const ticks of [from, to]) ticks.sort((a, b) => a - b);
  let [count, bytes] = [0, 0];
  const sums = changes
    .sort((a, b) => a.tick - b.tick)
    .map((change) => {
      count += change.count;
      bytes += change.bytes;
      return { tick: change.tick, count, bytes };
    });
  return {
    sums,
    born: members.map(({ from }) => from).sort((a, b) => a - b),
    savers,
    storages: new Set(members.map(({ storage }) => storage)),
  };
}
