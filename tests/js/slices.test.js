/** Tests that computations in slices have the same result as at once, and that each slice is short. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { everName, preparingNames } from "../../static/js/run/naming/naming.js";
import { allStays } from "../../static/js/layout/memory-tenants.js";
import { preparingSigns, signsOf } from "../../static/js/layout/signs.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { indexed, NAMES } from "./fixtures.js";

const slicesOf = (work) => [...work].length;

/** A recorded run in which each name is repeated `times` times under different paths. */
function oftenNamed(name, times) {
  const index = indexed(name);
  const names = Array.from({ length: times }, () => index.names)
    .flat()
    .map((each, id) => ({ ...each, id, path: `${each.path}_${id}` }));
  return { ...index, names };
}

test("names and layouts computed in slices equal those computed at once", () => {
  for (const name of NAMES) {
    const [sliced, whole] = [indexed(name), indexed(name)];
    slicesOf(preparingNames(sliced));
    slicesOf(allStays.making(sliced));
    for (const { id } of whole.tensors) assert.equal(everName(sliced, id), everName(whole, id));
    assert.deepEqual(allStays.of(sliced), allStays.of(whole));
  }
});

test("more names take more slices, and no name is computed twice", () => {
  const [few, many] = [oftenNamed("data", 1), oftenNamed("data", 1000)];
  assert.ok(slicesOf(preparingNames(many)) > slicesOf(preparingNames(few)) + 5);
  assert.equal(slicesOf(preparingNames(many)), 0);
});

test("the entries of the legend computed in slices equal those computed at once", () => {
  for (const name of NAMES) {
    const index = indexed(name);
    const [one, other] = [1440, 1440].map((width) => memoryLayout(index, measuresFor(width)));
    slicesOf(preparingSigns(index, one));
    const graph = { boxes: index.nodes.map(({ id }) => ({ node: id })) };
    assert.deepEqual(signsOf(index, graph, one), signsOf(index, graph, other));
  }
});
