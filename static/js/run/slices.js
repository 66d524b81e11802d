/**
 * Owns work in slices: a generator that yields where it may pause. The caller decides how long a slice is
 * (io/slices.js). Pure.
 */

/**
 * Does all of it at once.
 * @template T
 * @param {Generator<void, T>} work
 * @returns {T}
 */
export function finished(work) {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}
