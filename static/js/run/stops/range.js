/**
 * Owns zooming and scrolling of the timeline: a range is the interval of stops that the timeline shows.
 * Pure.
 */

/** @import {Range} from "./stop-index.js" */

/**
 * The minimum number of stops that the timeline shows. The timeline always shows the whole of a shorter run.
 */
const FEWEST = 12;
/** The factor by which one press of a zoom button changes the number of shown stops. */
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
 * The range zoomed in (1) or out (-1) around a stop, so that the stop keeps its position on the timeline.
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
 * Moves a range by a number of stops.
 * @param {Range} range
 * @param {number} by
 * @param {number} count
 * @returns {Range}
 */
export function movedBy({ from, to }, by, count) {
  return of(from + Math.round(by), to - from, count);
}

/**
 * The range from one stop to another, given in either order.
 * @param {number} a
 * @param {number} b
 * @param {number} count
 * @returns {Range}
 */
export function between(a, b, count) {
  return of(Math.round(Math.min(a, b)), Math.round(Math.abs(b - a)), count);
}

/**
 * Moves a range so that it contains a stop, if it does not already.
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
 * Makes a range of at least FEWEST stops that lies within the run.
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
