/** Tests of the first stop at which the pictures of a run are not empty. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { firstWithNode } from "../../static/js/run/stops/first-shown.js";
import { firstShown } from "../../static/js/run/stops/opening.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { indexed, NAMES } from "./fixtures.js";

function showsSomething(index, k) {
  const { storages, nodes } = stateAt(index, k);
  return (
    index.storages.some(({ id }) => storages.get(id)?.freed === false) ||
    index.nodes.some(({ id }) => nodes.get(id)?.freed === false)
  );
}

test("the first stop at which the pictures are not empty has a storage or a Node, at every granularity", () => {
  for (const name of NAMES) {
    for (const granularity of GRANULARITIES) {
      const index = withGranularity(indexed(name), granularity);
      const first = index.stops.findIndex((_, k) => showsSomething(index, k));
      assert.ok(first > 0, "the import shows nothing");
      assert.equal(firstShown(index), first, `${name} by ${granularity}`);
    }
  }
});

test("the stop of the first Node is the first stop whose state has a Node", () => {
  for (const name of NAMES) {
    const index = indexed(name);
    assert.equal(
      firstWithNode(index),
      index.stops.findIndex((_, k) => {
        const { nodes } = stateAt(index, k);
        return index.nodes.some(({ id }) => nodes.get(id)?.freed === false);
      }),
      name,
    );
  }
});

test("an object that is freed within the step that made it does not count as shown", () => {
  const index = indexed("data");
  const first = firstShown(index);
  const { tick } = index.stops[first];
  const brief = { ...index.storages[0], born: index.stops[0].tick, freed: index.stops[0].tick };
  assert.equal(firstShown({ ...index, storages: [brief, ...index.storages] }), first);
  const all = index.storages.map((storage) => ({ ...storage, freed: Math.min(storage.freed ?? tick, tick) }));
  assert.ok(firstShown({ ...index, storages: all }) > first);
});

test("a run that shows nothing, or has no step, opens at its beginning", () => {
  const index = indexed("data");
  assert.equal(firstShown({ ...index, storages: [], nodes: [] }), 0);
  assert.equal(firstShown({ ...index, stops: [] }), 0);
});
