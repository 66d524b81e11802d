import assert from "node:assert/strict";
import { test } from "node:test";

import { relatedTo, stopsOf } from "../../static/js/run/related.js";
import { isHeld, stateAt } from "../../static/js/run/state-at.js";
import { indexed, NAMES } from "./fixtures.js";

const index = indexed("data");
const state = stateAt(index, 7);
const nameOf = (path) => index.names.find((name) => name.path === path).id;
const summary = ({ names, storages, nodes, lines }) => [
  [...names].sort(),
  [...storages],
  [...nodes].map((id) => index.nodes[id].name),
  [...lines],
];

test("a name is related to its tensor, storage, Node, saved tensors and line", () => {
  const related = relatedTo(index, state, { kind: "name", id: nameOf("d") });
  assert.deepEqual(summary(related), [["d"], [3], ["MmBackward0"], [5]]);
  assert.deepEqual(
    [...related.saved].map((id) => index.saved_tensors[id].name),
    ["self"],
  );
  const leaf = relatedTo(index, state, { kind: "name", id: nameOf("w2") });
  assert.deepEqual(
    [...leaf.nodes].map((id) => index.nodes[id].name),
    ["torch::autograd::AccumulateGrad"],
  );
});

test("a storage is related to all tensors that use it, and to their saved tensors", () => {
  const related = relatedTo(index, state, { kind: "storage", id: 3 });
  assert.deepEqual([...related.names].sort(), ["d", "d_"]);
  assert.ok(
    [...related.saved].every((id) => index.saved_tensors[id].geometry.storage === 3) &&
      related.saved.size > 0,
  );
  assert.deepEqual(relatedTo(index, state, { kind: "cell", id: 3, cell: 0 }), related);
});

test("only items that exist at the step are related", () => {
  for (const run of NAMES.map(indexed)) {
    for (const k of run.stops.keys()) {
      const now = stateAt(run, k);
      const things = [
        ...run.tensors.map(({ id }) => ({ kind: "tensor", id })),
        ...run.storages.map(({ id }) => ({ kind: "storage", id })),
        ...run.nodes.map(({ id }) => ({ kind: "node", id })),
        ...[...new Set(run.stops.map((stop) => stop.line))].map((id) => ({ kind: "line", id })),
      ];
      for (const thing of things) {
        const related = relatedTo(run, now, thing);
        for (const id of related.tensors) assert.ok(now.tensors.get(id) !== undefined);
        for (const id of related.saved) assert.ok(isHeld(now.saved.get(id)));
        for (const id of related.nodes) assert.ok(now.nodes.get(id) !== undefined || thing.kind === "node");
      }
    }
  }
});

test("a Node and its results are related to each other", () => {
  for (const tensor of index.tensors) {
    const node = state.tensors.get(tensor.id)?.node ?? null;
    if (node === null) continue;
    assert.ok(relatedTo(index, state, { kind: "tensor", id: tensor.id }).nodes.has(node));
    assert.ok(relatedTo(index, state, { kind: "node", id: node }).tensors.has(tensor.id));
  }
});

test("a gradient is related to both its Nodes, and the stops of a Node include its creation, run and release", () => {
  const gradient = index.gradients.find((candidate) => candidate.node !== null && candidate.to !== null);
  assert.deepEqual(
    [...relatedTo(index, state, { kind: "gradient", id: `${gradient.node}.${gradient.edge}` }).nodes],
    [gradient.node, gradient.to],
  );
  const stops = stopsOf(index, { kind: "node", id: gradient.node });
  assert.deepEqual(
    stops,
    [...stops].sort((a, b) => a - b),
  );
  assert.ok(stops.some((k) => index.stops[k].node === gradient.node));
});
