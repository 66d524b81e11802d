/** Owns the height at which a line to the right passes the boxes in its way. Pure. */

/** The air in px that a line keeps to the boxes that it passes. */
const AIR = 6;

/**
 * The height nearest to `start` at which a line passes all boxes; `start` where it passes none.
 * @param {{left: number, right: number, top: number, bottom: number}[]} boxes
 * @param {{from: number, to: number, start: number}} line in px across, and its height
 */
export function wayBetween(boxes, { from, to, start }) {
  const isFree = (/** @type {number} */ y) =>
    boxes.every((box) => box.right <= from || box.left >= to || box.bottom + AIR <= y || box.top - AIR >= y);
  const isReached = (/** @type {number} */ y) =>
    boxes.every(
      (box) =>
        box.right <= from - AIR ||
        box.left >= from + AIR ||
        box.bottom <= Math.min(y, start) ||
        box.top >= Math.max(y, start),
    );
  const heights = [start, ...boxes.flatMap(({ top, bottom }) => [top - AIR, bottom + AIR])];
  const ways = heights.filter((y) => isFree(y) && isReached(y));
  return ways.reduce(
    (best, y) => (Math.abs(y - start) < Math.abs(best - start) ? y : best),
    ways[0] ?? start,
  );
}
