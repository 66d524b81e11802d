/** Owns binary search: where a condition begins to hold that holds to the end. Pure. */

/**
 * The first of the numbers 0 to `count` - 1 for which `holds` is true, where it is true for all after it;
 * `count` where it is true for none.
 * @param {number} count
 * @param {(at: number) => boolean} holds
 */
export function firstWhere(count, holds) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
