import assert from "node:assert/strict";
import { test } from "node:test";

import { indexOf } from "../../static/js/run/facts.js";
import { inOtherRound, loopAt, loopsOf, mainLoop, roundAt } from "../../static/js/run/stops/loops.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { indexed, read } from "./fixtures.js";

/** A recorded run that executes statements at the given lines, frames and columns. */
function run(source, lines) {
  const { header } = read("data").trace;
  const steps = lines.map(([line, frame = 0, column = 0], id) => ({
    id,
    kind: "statement",
    began: 2 * id + 1,
    ended: 2 * id + 2,
    frame,
    span: { line, end_line: line, column, end_column: column + 1 },
  }));
  const frames = [...new Set(steps.map((step) => step.frame))]
    .sort()
    .map((id) => ({ id, ended: steps.findLast((step) => step.frame === id).ended }));
  return indexOf({ trace: { source, header, steps, frames, ended: { kind: "finished" } } });
}

const NESTED = "for a in x:\n    for b in y:\n\n        # why\n        f(b)\n    g(a)\nend()\n";

test("the iterations of a training loop are found at every granularity", () => {
  for (const granularity of GRANULARITIES) {
    const index = withGranularity(indexed("loop"), granularity);
    const [loop, ...others] = loopsOf(index);
    assert.deepEqual([others, loop.line, loop.last_line, loop.rounds.length], [[], 7, 13, 3], granularity);
    assert.ok(loop.rounds.every((k) => index.stops[k].line === 7));
    assert.equal(index.stops[loop.end].line, 7, "the last look at the header finds nothing left to do");
    assert.equal(loopAt(index, loop.end), undefined);
  }
});

test("the page goes to the same statement in another iteration, and back", () => {
  const index = indexed("loop");
  for (const k of [6, 9, 14, 16, 20, 24]) {
    const other = inOtherRound(index, k, 1);
    assert.deepEqual(
      [index.stops[other].line, index.stops[other].kind, roundAt(mainLoop(index), other)],
      [index.stops[k].line, index.stops[k].kind, 1],
    );
    assert.equal(inOtherRound(index, other, -1), k);
  }
  assert.deepEqual(
    [inOtherRound(index, 6, -1), inOtherRound(index, 3, 1), inOtherRound(index, 60, 1)],
    [undefined, undefined, undefined],
  );
});

test("an inner loop begins again in each iteration of the outer loop", () => {
  const index = run(NESTED, [[1], [2], [5], [2], [5], [2], [6], [1], [2], [5], [2], [5], [2], [6], [1], [7]]);
  assert.deepEqual(
    loopsOf(index).map(({ line, rounds, end }) => [line, rounds, end]),
    [
      [1, [0, 7], 14],
      [2, [1, 3], 5],
      [2, [8, 10], 12],
    ],
  );
  assert.equal(mainLoop(index).line, 1);
  assert.deepEqual([loopAt(index, 4).line, loopAt(index, 6).line, loopAt(index, 15)], [2, 1, undefined]);
});

test("from a statement that the other iteration does not execute, the page goes to the iteration's beginning", () => {
  const index = run("for a in x:\n    f()\n    g()\nend()\n", [[1], [2], [3], [1], [2], [4]]);
  assert.deepEqual(
    loopsOf(index).map(({ rounds, end }) => [rounds, end]),
    [[[0, 3], 5]],
  );
  assert.equal(inOtherRound(index, 2, 1), 3);
});

test("a loop on one line has an iteration for each evaluation of its header", () => {
  const source = "for a in x: f(a); g(a)\nend()\n";
  const round = [[1], [1, 0, 12], [1, 0, 18]];
  const index = run(source, [...round, ...round, [1], [2]]);
  assert.deepEqual(
    loopsOf(index).map(({ rounds, end }) => [rounds, end]),
    [[[0, 3], 6]],
  );
  assert.equal(inOtherRound(index, 2, 1), 5);
});

test("a loop of a function ends when the function ends", () => {
  const source = "def f():\n    for a in x:\n        g(a)\nf()\nf()\n";
  const call = (frame) => [
    [2, frame],
    [3, frame],
    [2, frame],
    [3, frame],
    [2, frame],
  ];
  const index = run(source, [...call(1), [4], ...call(2), [5]]);
  assert.deepEqual(
    loopsOf(index).map(({ frame, rounds, end }) => [frame, rounds, end]),
    [
      [1, [0, 2], 4],
      [2, [6, 8], 10],
    ],
  );
});

test("a backward after a loop is not an iteration of the loop", () => {
  const index = run("for a in x:\n    f()\nend()\n", [[1], [2], [1], [2], [1], [3]]);
  const { steps, header, frames } = index;
  const last = steps.at(-1);
  const below = { id: 6, kind: "node", node: 0, parent: last.id, began: last.ended, ended: last.ended + 1 };
  const ran = [...steps.slice(0, -1), { ...last, ended: below.ended + 1 }, below];
  const nodes = [{ id: 0, name: "SumBackward0", born: 0, edges: [] }];
  const { source } = index;
  const whole = indexOf({
    trace: { source, header, steps: ran, frames, nodes, ended: { kind: "finished" } },
  });
  const [loop] = loopsOf(whole);
  assert.deepEqual([loop.rounds, loop.end, whole.stops[5].kind], [[0, 2], 4, "node"]);
});

test("a loop may have a header over several lines", () => {
  const source = "for a in (\n    1,\n    2,\n):\n    f(a)\nend()\n";
  const index = run(source, [[1], [5], [1], [5], [1], [6]]);
  assert.deepEqual(
    loopsOf(index).map(({ last_line, rounds, end }) => [last_line, rounds, end]),
    [[5, [0, 2], 4]],
  );
});

test("strings, brackets and continued lines do not end a loop, at any indentation", () => {
  const source = [
    "while a:",
    '    b = """',
    "for c in d:",
    "''' # (",
    '"""',
    "    e = f(",
    "1, # [",
    "  )",
    "    g = '#(' \\",
    "'h'",
    "    i()",
    "end()",
  ].join("\n");
  const round = [[1], [2], [6], [9], [11]];
  const index = run(source, [...round, ...round, [1], [12]]);
  assert.deepEqual(
    loopsOf(index).map(({ line, last_line, rounds, end }) => [line, last_line, rounds, end]),
    [[1, 11, [0, 5], 10]],
  );
});

test("a loop in a generator has no iterations, because each resumption is another frame", () => {
  const source =
    "def f():\n    for a in b:\n        if c: continue\n        yield a\nfor d in f():\n    g(d)\n";
  const lines = [
    [1],
    [2, 1],
    [3, 1],
    [2, 1],
    [4, 1],
    [5],
    [6],
    [2, 2],
    [3, 2],
    [2, 2],
    [4, 2],
    [5],
    [6],
    [5],
  ];
  const called = (span) => {
    const index = run(source, lines);
    const call = index.steps.push({
      id: index.steps.length,
      kind: "call",
      began: 0,
      ended: 0,
      frame: 0,
      span,
    });
    for (const step of index.steps) if (step.frame > 0) step.parent = call - 1;
    return loopsOf({ ...index }).map(({ line, rounds }) => [line, rounds.length]);
  };
  assert.deepEqual(called(undefined), [[5, 2]]);
  assert.deepEqual(called({ line: 1 }), [
    [2, 2],
    [5, 2],
    [2, 2],
  ]);
});
