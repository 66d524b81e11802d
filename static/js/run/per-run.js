/** Owns what is computed once for each run, or for another object, and dropped with it. Pure. */

/**
 * The same function, with its result stored for each object that it was called with.
 * @template {object} K
 * @template V
 * @param {(object: K) => V} make
 * @returns {(object: K) => V}
 */
export function perRun(make) {
  /** @type {WeakMap<K, {value: V}>} */
  const results = new WeakMap();
  return (object) => {
    let result = results.get(object);
    if (result === undefined) {
      result = { value: make(object) };
      results.set(object, result);
    }
    return result.value;
  };
}
