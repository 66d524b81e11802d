/**
 * Owns work in slices: a generator yields where the work may be interrupted, and its caller decides how long
 * it runs at a time (io/slices.js). Pure.
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
