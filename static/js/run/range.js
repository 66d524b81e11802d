/** Owns the arithmetic of a part of a run: from which stop to which the timeline shows it. Pure. */

/** @import {Range} from "./stop-index.js" */

/** A run of fewer stops is shown whole. */
const FEWEST = 12;
/** How much narrower or wider one press makes it. */
const FACTOR = 2;

/**
 * @param {number} count
 * @returns {Range}
 */
export function whole(count) {
  return { from: 0, to: Math.max(0, count - 1) };
}

/**
 * @param {Range} range
 * @param {number} count
 */
export function isWhole({ from, to }, count) {
  return from <= 0 && to >= count - 1;
}

/**
 * Narrower (1) or wider (-1) around a stop, which stays where it is.
 * @param {Range} range
 * @param {1 | -1} direction
 * @param {number} around
 * @param {number} count
 * @returns {Range}
 */
export function zoomedBy({ from, to }, direction, around, count) {
  const size = to - from;
  const next = direction === 1 ? size / FACTOR : Math.max(1, size * FACTOR);
  const share = size === 0 ? 0.5 : (Math.min(to, Math.max(from, around)) - from) / size;
  return of(Math.round(around - share * next), Math.round(next), count);
}

/**
 * Moved by so many stops.
 * @param {Range} range
 * @param {number} by
 * @param {number} count
 * @returns {Range}
 */
export function movedBy({ from, to }, by, count) {
  return of(from + Math.round(by), to - from, count);
}

/**
 * From one stop to another, in whichever order they are given.
 * @param {number} a
 * @param {number} b
 * @param {number} count
 * @returns {Range}
 */
export function between(a, b, count) {
  return of(Math.round(Math.min(a, b)), Math.round(Math.abs(b - a)), count);
}

/**
 * Moved on like a page, so that a stop is in it that has left it.
 * @param {Range} range
 * @param {number} k
 * @param {number} count
 * @returns {Range}
 */
export function withStop(range, k, count) {
  const { from, to } = range;
  if (from <= k && k <= to) return range;
  const margin = (to - from) / 8;
  return of(Math.round(k < from ? k - (to - from) + margin : k - margin), to - from, count);
}

/**
 * Within the run, and not narrower than can be read.
 * @param {number} from
 * @param {number} size
 * @param {number} count
 * @returns {Range}
 */
function of(from, size, count) {
  const last = Math.max(0, count - 1);
  const length = Math.min(last, Math.max(FEWEST, size));
  const first = Math.max(0, Math.min(from, last - length));
  return { from: first, to: first + length };
}
