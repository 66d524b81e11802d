/** Tests of the sentences about the owners of a storage, and of the detection of vanishing gradients. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { largestStorage } from "../../static/js/run/holders.js";
import { vanishingOf } from "../../static/js/run/values/gradient-sizes.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { holding } from "../../static/js/words/steps/of-holders.js";
import { indexed, NAMES } from "./fixtures.js";
import { LANGUAGES, speaker } from "./spoken.js";

const last = (index) => stateAt(index, index.stops.length - 1);
const named = (state, index, name) =>
  index.tensors.find(({ id }) => state.tensors.get(id)?.labels.some(({ text }) => text === name));

test("the sentences about a tensor name all other tensors in its storage", () => {
  const index = indexed("data");
  const k = index.stops.findIndex(({ mark }) => mark === "write");
  const state = stateAt(index, k);
  const d = named(state, index, "d");
  const storage = state.tensors.get(d.id).geometry.storage;
  const told = (tensor) => holding(index, state, storage, tensor).map(speaker("en").tell);
  assert.equal(told(d.id)[0], `It shares \`S${storage}\` with \`d_\`.`);
  assert.match(told(null)[0], /It is used by `d` and `d_`\./);
  assert.match(told(d.id)[1], /^`MvBackward0` of line \d+ saved it for backward, in the graph of `f`\.$/);
});

test("every storage has sentences in both languages, and repeated selection visits storages by size", () => {
  for (const name of NAMES) {
    const index = indexed(name);
    const state = last(index);
    const sizes = [];
    let id = null;
    const alive = index.storages.filter((each) => state.storages.get(each.id)?.freed === false);
    for (const _ of alive) {
      id = largestStorage(index, state, id);
      sizes.push(state.storages.get(id).nbytes);
      for (const language of LANGUAGES)
        for (const sentence of holding(index, state, id, null))
          assert.doesNotMatch(speaker(language).tell(sentence), /undefined|\{|\[object/);
    }
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => b - a),
    );
  }
});

/** A run whose backward sends each of the given gradients to a leaf of its own, in the given order. */
function reaching(...values) {
  const nodes = values.map((_, id) => ({ id, variable: id }));
  const gradients = values.map((value, id) => ({
    to: id,
    tick: id,
    value: { kind: "cells", dtype: "float32", values: [value] },
  }));
  return {
    nodes,
    runs: nodes.map(({ id }) => ({ node: id, began: id, ended: id, statement: 1 })),
    lookups: { gradients_of: () => () => ({ upTo: () => gradients }) },
  };
}

test("gradients vanish from a leaf on if it and all later ones are below 1/1000 of the largest earlier one", () => {
  assert.equal(vanishingOf(reaching(1, 0.1, 9e-4, -1e-5)).first.leaf, 2);
  assert.equal(vanishingOf(reaching(0.1, 1, 2e-3, 0, 0)).first.leaf, 3);
  assert.equal(vanishingOf(reaching(1, 1e-6, 0.5, 1e-6, 0)).first.leaf, 3);
  for (const values of [
    [1, 1e-6],
    [1, 0.1, 0.01],
    [1, 1e-6, 0.5],
    [1, 1e-6, 0.5, 1e-6],
    [0, 0, 0],
    [1, NaN, 1e-9],
    [Infinity, 1, 1],
  ])
    assert.equal(vanishingOf(reaching(...values)), null, `${values}`);
});

test("a leaf that received several gradients is left out of the comparison", () => {
  const index = reaching(1, 0.1, 1e-6);
  const gradients = index.lookups.gradients_of()().upTo();
  gradients.push({ ...gradients[2], value: gradients[0].value });
  assert.equal(vanishingOf(index), null);
});
