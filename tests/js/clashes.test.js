/** Tests that mismatched sizes and dtypes of an operator's tensors are marked. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { clashFrames } from "../../static/js/stage/clash.js";
import { clashesOf, clashText } from "../../static/js/run/values/clashes.js";
import { indexOf } from "../../static/js/run/facts.js";
import { read } from "./fixtures.js";

const finding = { kind: "matmul_mismatch", severity: "error", tick: 9 };
const geometry = { dtype: "float32", layout: "strided", shape: [3, 10, 3] };

/** @param {object[]} clashes */
function clashingIndex(clashes) {
  return indexOf({ ...read("data"), findings: [{ ...finding, clashes }] });
}

test("a size that does not match is marked from the tick at which the operator raises its error", () => {
  const index = clashingIndex([
    { tensor: 0, dimension: 1, other: "4" },
    { tensor: 0, other: "float64" },
  ]);
  const of = (/** @type {number} */ tick, id = 0) => clashesOf(index, { tick }, { id, geometry });
  assert.deepEqual(of(8), []);
  assert.deepEqual(of(9), [
    { dimension: 1, actual: "10", other: "4" },
    { dimension: null, actual: "float32", other: "float64" },
  ]);
  assert.deepEqual(of(9, 1), []);
});

test("a dimension that does not exist and a tensor without a shape have no mark", () => {
  const index = clashingIndex([{ tensor: 0, dimension: 7, other: "4" }]);
  assert.deepEqual(clashesOf(index, { tick: 9 }, { id: 0, geometry }), []);
  const opaque = { ...geometry, layout: "opaque", shape: [] };
  assert.deepEqual(clashesOf(index, { tick: 9 }, { id: 0, geometry: opaque }), []);
});

test("the mark is around the dimension that does not match, not around another one of the same size", () => {
  const at = { x: 0, y: 20, size: 10 };
  const places = [0, 2].map((dimension) => {
    const [frame] = clashFrames([{ dimension, actual: "3", other: "4" }], "(3, 10, 3)", at);
    return frame.children[0].attributes.x;
  });
  assert.ok(places[0] < 10 && places[1] > 40, places.join());
  assert.deepEqual(clashFrames([{ dimension: 2, actual: "128", other: "4" }], "(3,10,…", at), [null]);
  assert.deepEqual(clashFrames([{ dimension: 2, actual: "128", other: "4" }], "(3,10,12…", at), [null]);
});

test("dtypes that do not match are abbreviated if there is no room", () => {
  const clash = { dimension: null, actual: "float32", other: "bfloat16" };
  assert.equal(clashText(clash).text, "float32 ≠ bfloat16");
  assert.deepEqual(clashText(clash, 12), { actual: "f32", text: "f32 ≠ bf16" });
});
