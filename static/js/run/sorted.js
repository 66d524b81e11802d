/**
 * Provides binary search in sorted lists, and the minimum of a range. Pure.
 */

/**
 * The first of the numbers 0 to `count` - 1 for which `holds` is true; `count` if there is no such number.
 * If `holds` is true for a number, it must be true for all larger numbers.
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

/**
 * The number of items of a sorted list that are at most `most`.
 * @param {ArrayLike<number>} sorted
 * @param {number} most
 */
export function upTo(sorted, most) {
  return firstWhere(sorted.length, (at) => (sorted[at] ?? 0) > most);
}

/**
 * Returns a function that gives the minimum of the values in a range (end exclusive) in logarithmic time.
 * @param {number[]} values
 * @returns {(from: number, until: number) => number} Infinity: the range is empty
 */
export function leastIn(values) {
  const count = values.length;
  const tree = new Float64Array(2 * count); // a binary tree: item i is the minimum of items 2 i and 2 i + 1
  tree.set(values, count);
  for (let at = count - 1; at > 0; at -= 1) tree[at] = Math.min(tree[2 * at] ?? 0, tree[2 * at + 1] ?? 0);
  return (from, until) => {
    let least = Infinity;
    for (let [low, high] = [from + count, until + count]; low < high; low >>= 1, high >>= 1) {
      if (low & 1) {
        least = Math.min(least, tree[low] ?? Infinity);
        low += 1;
      }
      if (high & 1) {
        high -= 1;
        least = Math.min(least, tree[high] ?? Infinity);
      }
    }
    return least;
  };
}
