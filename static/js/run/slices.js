/**
 * Owns sliced work. A generator yields where it may pause, and the caller decides the length of a slice
 * (io/slices.js). Pure.
 */

/**
 * Runs a generator to its end and returns its result.
 * @template T
 * @param {Generator<void, T>} work
 * @returns {T}
 */
export function finished(work) {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}
