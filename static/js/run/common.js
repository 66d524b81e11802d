/**
 * Owns the alignment of two lists of strings: the pairs of equal items, in order, and the gaps between them.
 * Pure.
 */

import { addTo } from "./grouped.js";
import { firstWhere } from "./sorted.js";

/** @typedef {[number, number]} Pair indices in two lists, from 0 */

/**
 * Strings that occur often are not aligned: those whose count in one list times their count in the other
 * list exceeds this limit.
 */
const MOST_PAIRS = 10_000;

/**
 * The longest common subsequence of two lists: the longest increasing sequence of indices of equal strings
 * (Hunt and Szymanski). Empty strings are paired only at the beginning and at the end, where both lists are
 * equal.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Pair[]}
 */
export function common(a, b) {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const before = Array.from({ length: head }, (_, i) => /** @type {Pair} */ ([i, i]));
  const after = Array.from(
    { length: tail },
    (_, i) => /** @type {Pair} */ ([a.length - tail + i, b.length - tail + i]),
  );
  return [...before, ...rising(a, b, head, tail), ...after];
}

/**
 * @param {string[]} a
 * @param {string[]} b
 * @param {number} head
 * @param {number} tail number of equal items at the end; `head`: at the start
 * @returns {Pair[]}
 */
function rising(a, b, head, tail) {
  const [placesInA, placesInB] = [placesOf(a, head, a.length - tail), placesOf(b, head, b.length - tail)];
  /** @typedef {{pair: Pair, before: Link | undefined}} Link */
  /**
   * For each length of an increasing sequence, the pair that ends the best sequence found so far.
   * @type {Link[]}
   */
  const ends = [];
  for (let i = head; i < a.length - tail; i += 1) {
    const places = placesInB.get(a[i] ?? "") ?? [];
    if (places.length * (placesInA.get(a[i] ?? "")?.length ?? 0) > MOST_PAIRS) continue;
    for (const j of [...places].reverse()) {
      const length = firstWhere(ends.length, (at) => (ends[at]?.pair[1] ?? 0) >= j);
      ends[length] = { pair: [i, j], before: ends[length - 1] };
    }
  }
  const found = [];
  for (let link = ends.at(-1); link !== undefined; link = link.before) found.push(link.pair);
  return found.reverse();
}

/**
 * The indices of each non-empty string of a list, from `from` to `to` (exclusive).
 * @param {string[]} list
 * @param {number} from
 * @param {number} to
 */
function placesOf(list, from, to) {
  /** @type {Map<string, number[]>} */
  const places = new Map();
  for (let i = from; i < to; i += 1) if (list[i]) addTo(places, list[i] ?? "", i);
  return places;
}

/**
 * For each gap, the unpaired indices in both lists: before the first pair, between two pairs, and after the
 * last pair.
 * @param {Pair[]} pairs
 * @param {number} rows
 * @param {number} columns
 * @returns {[number[], number[]][]}
 */
export function gapsOf(pairs, rows, columns) {
  const between = (/** @type {number} */ from, /** @type {number} */ to) =>
    Array.from({ length: to - from }, (_, number) => from + number);
  let [i, j] = [0, 0];
  return [...pairs, /** @type {Pair} */ ([rows, columns])].map(([nextI, nextJ]) => {
    const gap = /** @type {[number[], number[]]} */ ([between(i, nextI), between(j, nextJ)]);
    [i, j] = [nextI + 1, nextJ + 1];
    return gap;
  });
}
