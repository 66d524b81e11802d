/**
 * Owns caches of values that are computed once per run, or once per another object. A cached value is freed
 * together with its run or object. Pure.
 */

import { finished } from "./slices.js";

/** @import {Index} from "./types.d.ts" */

/**
 * Returns a function like `make` that caches the result for each argument object.
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

/**
 * Like `perRun`, for values that do not depend on the granularity of stepping. Such a value is computed once
 * for all granularities of a run.
 * @template V
 * @param {(index: Index) => V} make
 * @returns {(index: Index) => V}
 */
export function perTrace(make) {
  /** @type {WeakMap<Index["lookups"], {value: V}>} */
  const results = new WeakMap();
  return (index) => {
    let result = results.get(index.lookups);
    if (result === undefined) {
      result = { value: make(index) };
      results.set(index.lookups, result);
    }
    return result.value;
  };
}

/**
 * Like `perTrace`, for slow computations: `making` computes the value in slices in advance, and `of` returns
 * it.
 * @template V
 * @param {(index: Index) => Generator<void, V>} make
 * @returns {{of: (index: Index) => V, making: (index: Index) => Generator<void, void>}}
 */
export function perTraceInSlices(make) {
  /** @type {WeakMap<Index["lookups"], {value: V}>} */
  const results = new WeakMap();
  return {
    of: (index) => {
      const known = results.get(index.lookups);
      if (known !== undefined) return known.value;
      const value = finished(make(index));
      results.set(index.lookups, { value });
      return value;
    },
    *making(index) {
      if (!results.has(index.lookups)) results.set(index.lookups, { value: yield* make(index) });
    },
  };
}
