/**
 * Owns the recognition of a swipe from step to step: a short horizontal stroke of one finger, where nothing
 * under the finger can scroll. Pure.
 */

/** @typedef {{x: number, y: number, at: number}} Touch position in px of the screen; `at`: time in ms */

const LEAST = 56;
const LONGEST_MS = 600;
/**
 * Strokes that begin within this distance in px from the edge of the screen are left to the browser, which
 * uses them for its own navigation.
 */
const EDGE = 24;

/**
 * The effect of a stroke with a finger: 1 goes to the next step, -1 to the previous step; 0: the stroke is
 * not a swipe.
 * @param {Touch} from
 * @param {Touch} to
 * @param {number} width of the screen
 * @returns {1 | 0 | -1}
 */
export function swiped(from, to, width) {
  const isShort = Math.abs(to.x - from.x) < LEAST || to.at - from.at > LONGEST_MS;
  return isShort || from.x < EDGE || from.x > width - EDGE ? 0 : sidewards(from, to);
}

/**
 * The direction of a horizontal stroke. 1: to the left, which goes forward; -1: to the right; 0: not
 * horizontal.
 * @param {Touch} from
 * @param {Touch} to
 * @returns {1 | 0 | -1}
 */
export function sidewards(from, to) {
  const [across, down] = [to.x - from.x, to.y - from.y];
  if (Math.abs(across) <= 2 * Math.abs(down)) return 0;
  return across < 0 ? 1 : -1;
}

/**
 * Whether a stroke in the given direction would scroll an element sideways, which is not so at the end of
 * its range.
 * @param {{scrollLeft: number, scrollWidth: number, clientWidth: number}} box
 * @param {1 | -1} direction
 */
export function canScroll({ scrollLeft, scrollWidth, clientWidth }, direction) {
  return direction === 1 ? scrollLeft + clientWidth < scrollWidth - 1 : scrollLeft > 1;
}
