import assert from "node:assert/strict";
import { test } from "node:test";

import { aligningSteps, otherLines, pairedLines, reachedAt } from "../../static/js/lazy/compare/alignment.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { finished } from "../../static/js/run/slices.js";
import { indexed, NAMES } from "./fixtures.js";

/** A generator of random integers below `most`. Equal seeds give equal sequences. */
function dice(seed) {
  let state = seed * 2654435761;
  return (most) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) | 0;
    return (state >>> 3) % most;
  };
}

const WORDS = [
  "a = 1",
  "b = a.data",
  "b = a.detach()",
  "",
  "# words",
  "for i in range(3):",
  "    a += 1  # again",
  "    a += 1",
  "f(a)",
  "s = '#' # none",
];

/** A run of a random program, whose lines are executed in random order. */
function made(seed) {
  const roll = dice(seed);
  const lines = Array.from({ length: 1 + roll(12) }, () => WORDS[roll(WORDS.length)]);
  const nodes = [{ name: "MulBackward0" }, { name: "AddBackward0" }];
  const stops = Array.from({ length: roll(30) }, () => {
    const kind = ["statement", "statement", "node", "operator", "exception"][roll(5)];
    return {
      kind,
      line: 1 + roll(lines.length),
      step: { node: roll(2), name: ["aten::mul", "aten::add"][roll(2)] },
    };
  });
  return { source: lines.join("\n"), stops, nodes, names: [], tensors: [] };
}

const aligned = (left, right) => finished(aligningSteps(left, right, pairedLines(left.source, right.source)));
const turned = (list) => list.map(({ left, right, ...rest }) => ({ ...rest, left: right, right: left }));
const counted = (count) => Array.from({ length: count }, (_, k) => k);
const real = NAMES.flatMap((name) =>
  GRANULARITIES.map((granularity) => withGranularity(indexed(name), granularity)),
);

test("every stop is in exactly one aligned step, and the order of both runs is kept", () => {
  const pairs = [
    ...counted(300).map((seed) => [made(2 * seed), made(2 * seed + 1)]),
    ...real.flatMap((one) => real.map((other) => [one, other])),
  ];
  for (const [left, right] of pairs) {
    const list = aligned(left, right);
    assert.deepEqual(
      list.map((step) => step.left).filter((k) => k !== null),
      counted(left.stops.length),
    );
    assert.deepEqual(
      list.map((step) => step.right).filter((k) => k !== null),
      counted(right.stops.length),
    );
    assert.ok(list.every((step) => step.left !== null || step.right !== null));
  }
});

test("only stops of paired lines are aligned: the nth execution of a line with the nth execution of its partner", () => {
  for (const seed of counted(300)) {
    const [left, right] = [made(3 * seed), made(3 * seed + 2)];
    const pairs = new Map(pairedLines(left.source, right.source).map((pair) => [pair.left, pair.right]));
    const what = ({ kind, step }) =>
      kind === "node" ? `node ${step.node}` : kind === "operator" ? step.name : "statement";
    const times = (index, k) =>
      index.stops
        .slice(0, k)
        .filter((stop) => stop.line === index.stops[k].line && what(stop) === what(index.stops[k])).length;
    for (const { left: k, right: j } of aligned(left, right)) {
      if (k === null || j === null) continue;
      assert.equal(pairs.get(left.stops[k].line), right.stops[j].line);
      assert.equal(what(left.stops[k]), what(right.stops[j]));
      assert.equal(times(left, k), times(right, j));
    }
  }
});

test("aligned with itself, a run has each stop next to the same stop", () => {
  for (const index of [...counted(100).map(made), ...real]) {
    assert.deepEqual(
      aligned(index, index),
      index.stops.map((_, k) => ({ left: k, right: k })),
    );
    assert.deepEqual(otherLines(index.source, index.source, pairedLines(index.source, index.source)), {
      left: new Set(),
      right: new Set(),
    });
  }
});

test("if the two runs are exchanged, the two sides of the alignment are exchanged", () => {
  for (const seed of counted(300)) {
    const [one, other] = [made(5 * seed), made(5 * seed + 3)];
    assert.deepEqual(pairedLines(one.source, other.source), turned(pairedLines(other.source, one.source)));
    assert.deepEqual(aligned(one, other), turned(aligned(other, one)));
    const same = { ...made(7 * seed), source: one.source };
    if (made(7 * seed).stops.every(({ line }) => line <= one.source.split("\n").length))
      assert.deepEqual(aligned(one, same), turned(aligned(same, one)));
  }
});

test("`.data` and `.detach()` are aligned up to the backward that `.detach()` makes fail", () => {
  const [data, detach] = [indexed("data"), indexed("detach")];
  const list = aligned(data, detach);
  const line = ({ left, right }) => [data.stops[left]?.line ?? null, detach.stops[right]?.line ?? null];
  assert.deepEqual(
    list.slice(0, 9).map(line),
    counted(9).map((k) => [k + 1, k + 1]),
  );
  assert.deepEqual(otherLines(data.source, detach.source, pairedLines(data.source, detach.source)), {
    left: new Set([6]),
    right: new Set([6]),
  });
  const [end] = list.slice(-1);
  assert.deepEqual([data.stops[end.left].kind, detach.stops[end.right].kind], ["statement", "exception"]);
  const alone = list.slice(9, -1);
  assert.ok(alone.length > 0 && alone.every((step) => step.left === null || step.right === null));
  assert.deepEqual(reachedAt(list).left.slice(-1), [data.stops.length - 1]);
});

test("lines that differ only in their comments are paired", () => {
  const pairs = (left, right) =>
    pairedLines(left.join("\n"), right.join("\n")).map((pair) => [pair.left, pair.right, pair.isSame]);
  assert.deepEqual(pairs(["x = 1  # one", "s = '# 1'"], ["x = 1", "s = '# 2'"]), [
    [1, 1, true],
    [2, 2, false],
  ]);
  assert.deepEqual(pairs(["a()", "y = x.data", "b()"], ["a()", "print(x)", "y = x.detach()", "b()"]), [
    [1, 1, true],
    [2, 3, false],
    [3, 4, true],
  ]);
  assert.deepEqual(pairs(['t = """', "# text", '"""', "x = 1"], ['t = """', "# other", '"""', "x = 1"]), [
    [1, 1, true],
    [2, 2, false],
    [3, 3, true],
    [4, 4, true],
  ]);
  assert.deepEqual(pairs(["# one", "", "x = 1"], ["x = 1", "", "# two"]), [[3, 1, true]]);
  assert.deepEqual(otherLines("# one\n\nx = 1", "x = 1", pairedLines("# one\n\nx = 1", "x = 1")), {
    left: new Set(),
    right: new Set(),
  });
});

test("a run that has not begun at an aligned step has stop -1", () => {
  assert.deepEqual(
    reachedAt([
      { left: 0, right: null },
      { left: null, right: 0 },
      { left: 1, right: 1 },
    ]),
    { left: [0, 0, 1], right: [-1, 0, 1] },
  );
});

// An alignment in quadratic time would exceed the timeout.
test("long sources and long runs are aligned in about linear time", { timeout: 120_000 }, () => {
  const text = (value) =>
    Array.from({ length: 20_000 }, (_, line) =>
      line % 3 === 0 ? "x += 1" : `v${line} = ${line % 50 === 0 ? value : 0}`,
    ).join("\n");
  const stops = Array.from({ length: 60_000 }, (_, k) => ({
    kind: "statement",
    line: 1 + (k % 20_000),
    step: {},
  }));
  const run = (value) => ({ source: text(value), stops, nodes: [], names: [], tensors: [] });
  assert.equal(aligned(run(1), run(2)).length, 60_000);
  const hostile = `"""${'\\"""'.repeat(20_000)}`;
  assert.equal(pairedLines(hostile, `${hostile}\nx`).length, 1);
});
