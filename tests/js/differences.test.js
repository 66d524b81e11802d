import assert from "node:assert/strict";
import { test } from "node:test";

import { pairedLines } from "../../static/js/lazy/compare/alignment.js";
import { findingDifferences } from "../../static/js/lazy/compare/differences.js";
import { pairedNodes } from "../../static/js/lazy/compare/graph-differences.js";
import {
  goTo,
  replay,
  step,
  stepCount,
  toRound,
  toStatement,
  toWarning,
  chooseGranularity,
} from "../../static/js/state/store.js";
import * as page from "../../static/js/lazy/compare/comparison.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { finished } from "../../static/js/run/slices.js";
import { indexOf } from "../../static/js/run/facts.js";
import { indexed, NAMES, read } from "./fixtures.js";
import { showBoth } from "./replays.js";

const { alignedStepOf, SIDES, statesAt, comparing: together } = page;
const side = (index) => ({ index, graph: null, memory: null, snippet: null, title: null });
const beside = (left, right) => finished(together(side(left), side(right)));
const differing = (both, m) => {
  const now = statesAt(both, m);
  const sides = {
    left: { index: both.left.index, state: now.left },
    right: { index: both.right.index, state: now.right },
  };
  return finished(findingDifferences(sides, both.nodes));
};
const short = ({ list }) =>
  list.map((difference) =>
    [
      difference.name,
      difference.aspect,
      ...SIDES.map((name) => difference[name].args.text ?? difference[name].id),
    ].join(" "),
  );

test("a run does not differ from itself at any step of any granularity", () => {
  for (const name of NAMES) {
    for (const granularity of GRANULARITIES) {
      const index = withGranularity(indexed(name), granularity);
      const both = beside(index, index);
      for (const m of both.steps.keys()) {
        const { list, marked } = differing(both, m);
        assert.deepEqual(list, []);
        for (const sets of SIDES.flatMap((side) => Object.values(marked[side]))) assert.equal(sets.size, 0);
      }
    }
  }
});

test("if the two runs are exchanged, the sides of each difference are exchanged", () => {
  for (const one of NAMES) {
    for (const other of NAMES) {
      const [both, turned] = [beside(indexed(one), indexed(other)), beside(indexed(other), indexed(one))];
      for (const m of both.steps.keys()) {
        const [a, b] = [differing(both, m), differing(turned, m)];
        const key = (difference, left, right) =>
          `${difference.name} ${difference.aspect} ${JSON.stringify(difference[left])} ${JSON.stringify(difference[right])}`;
        assert.deepEqual(
          a.list.map((difference) => key(difference, "left", "right")).sort(),
          b.list.map((difference) => key(difference, "right", "left")).sort(),
        );
        assert.deepEqual(a.marked.left, b.marked.right);
      }
    }
  }
});

test("`.data` and `.detach()` differ first in the version counter, then in the detected write, then in the gradient", () => {
  const both = beside(indexed("data"), indexed("detach"));
  assert.deepEqual(
    [...both.steps.keys()].filter((m) => differing(both, m).list.length > 0),
    [5, 6, 7, 8, 9, 10, 11, 12],
  );
  assert.deepEqual(short(differing(both, 5)), [
    "d counter differs-own differs-shared",
    "d_ counter differs-own differs-shared",
  ]);
  assert.deepEqual(short(differing(both, 7)).slice(0, 2), [
    "MvBackward0.self saved differs-saved-silent differs-saved-refused",
    "d version v0 v1",
  ]);
  assert.deepEqual(short(differing(both, 12)).slice(0, 2), [
    "w2.grad values [1.] None",
    "w1.grad values [[3.], [6.]] None",
  ]);
  const { left, right } = differing(both, 12).marked;
  const named = ({ index }, { tensors }) =>
    index.names.filter((name) => tensors.has(name.tensor.at(-1)[1])).map(({ path }) => path);
  assert.deepEqual(
    [named(both.left, left), named(both.right, right)],
    [
      ["d", "d_"],
      ["d", "d_"],
    ],
  );
  assert.equal(left.storages.size, 2);
  assert.equal(right.storages.size, 0, "what is not there has no mark");
});

test("two Nodes are partners if the same execution of paired lines made them", () => {
  const [data, detach] = [indexed("data"), indexed("detach")];
  const nodes = pairedNodes(data, detach, pairedLines(data.source, detach.source));
  assert.equal(nodes.left.size, data.nodes.length);
  for (const [node, other] of nodes.left) {
    assert.equal(data.nodes[node].name, detach.nodes[other].name);
    assert.equal(nodes.right.get(other), node);
  }
});

test("a run that does not move in an aligned step has no new objects", () => {
  const both = beside(indexed("data"), indexed("detach"));
  const alone = both.steps.findIndex(({ right }) => right === null);
  const { right } = statesAt(both, alone);
  assert.equal(right.k, both.reached.right[alone]);
  assert.deepEqual([right.writes, right.gradients.some(({ fresh }) => fresh)], [[], false]);
  for (const { id } of both.right.index.tensors)
    assert.ok(!right.tensors.get(id)?.is_new && !right.tensors.get(id)?.is_bumped);
});

test("in a comparison, the keys for statements, warnings, loop iterations and granularity move both runs", () => {
  const [data, detach] = [indexed("data"), indexed("detach")];
  const finding = { kind: "x", severity: "error", tick: detach.stops[7].tick, line: 8 };
  showBoth(data, { ...detach, findings: [finding] });
  assert.equal(stepCount.value, 13);
  toWarning(1);
  assert.deepEqual([step.value, replay.value.warnings], [7, [7]]);
  toStatement(1);
  assert.equal(step.value, 12, "the Nodes are passed");
  toStatement(-1);
  assert.equal(step.value, 7);
  for (const granularity of ["operator", "line", "node"]) {
    chooseGranularity(granularity);
    const { left, reached } = replay.value.both;
    assert.equal(left.index.stops[reached.left[step.value]].line, 8, granularity);
  }
  assert.equal(step.value, 7);
  goTo(99);
  assert.equal(step.value, 12);

  const loop = indexed("loop");
  showBoth(loop, loop);
  const line = (m) => loop.stops[m].line;
  const first = loop.stops.findIndex((stop, k) =>
    loop.stops.slice(0, k).some((earlier) => earlier.line === stop.line),
  ); // the first stop of the second iteration
  goTo(first);
  toRound(1);
  assert.ok(step.value > first);
  assert.equal(line(step.value), line(first));
  toRound(-1);
  assert.equal(step.value, first);
  assert.equal(alignedStepOf(replay.value.both, "right", 5), 5);
});

/** A run in which `count` tensors with names use the same storage. */
function sharing(count) {
  const { trace } = read("views");
  const [{ geometry, ...tensor }] = trace.tensors;
  const ids = Array.from({ length: count }, (_, id) => id);
  const tensors = ids.map((id) => ({
    ...tensor,
    id,
    born: 1,
    died: undefined,
    geometry: [[1, geometry[0][1]]],
  }));
  const names = ids.map((id) => ({ id, path: `v${id}`, frame: 0, tensor: [[1, id]] }));
  return indexOf({ trace: { ...trace, tensors, names, nodes: [], saved_tensors: [] }, findings: [] });
}

test("memory shared by thousands of names is compared in slices, with sentences of bounded length", () => {
  const both = beside(sharing(4000), sharing(4001));
  const now = statesAt(both, both.steps.length - 1);
  const of = (name) => ({ index: both[name].index, state: now[name] });
  const work = findingDifferences({ left: of("left"), right: of("right") }, both.nodes);
  let slices = 1;
  let part = work.next();
  for (; !part.done; part = work.next()) slices += 1;
  const memory = part.value.list.filter(({ aspect }) => aspect === "memory");
  assert.equal(memory.length, 4000, "every name shares it with one more on the right");
  assert.ok(slices >= 60, "at most 200 names are looked at in a slice");
  assert.ok(memory.every(({ left, right }) => left.args.names.length < 250 && right.id === "differs-other"));
});
