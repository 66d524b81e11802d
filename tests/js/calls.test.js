import assert from "node:assert/strict";
import { test } from "node:test";

import { callsAt, depthOf } from "../../static/js/run/stops/calls.js";
import { stopIndexOf } from "../../static/js/run/stops/stop-index.js";
import { indexOf } from "../../static/js/run/facts.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { indexed, NAMES, read } from "./fixtures.js";

const { header } = read("data").trace;
const int = (text) => ({ type: "int", text });
const spanOf = (line) => ({ line, end_line: line, column: 0, end_column: 1 });
/** A recorded run in which `b = f(1)` on line 4 is executed twice. The body of `f` has two lines. */
function run() {
  const steps = [];
  const ran = (kind, began, ended, frame, line, parent) =>
    steps.push({
      id: steps.length,
      kind,
      began,
      ended,
      frame,
      span: spanOf(line),
      ...(parent === undefined ? {} : { parent }),
    });
  for (const [start, frame] of [
    [1, 1],
    [21, 2],
  ]) {
    const statement = steps.length;
    ran("statement", start, start + 19, 0, 4);
    ran("call", start + 1, start + 15, 0, 4, statement);
    ran("statement", start + 2, start + 5, frame, 2, statement + 1);
    ran("statement", start + 6, start + 9, frame, 3, statement + 1);
  }
  const frames = [
    { id: 0, function: "<module>", line: 1, began: 0, ended: 41 },
    { id: 1, function: "f", line: 1, parent: 0, began: 2, ended: 12 },
    { id: 2, function: "f", line: 1, parent: 0, began: 22, ended: 32 },
  ];
  const variables = [
    { id: 0, name: "torch", frame: 0, value: [[0, { kind: "module", type: "module", text: "torch" }]] },
    {
      id: 1,
      name: "b",
      frame: 0,
      value: [
        [20, int("7")],
        [40, int("8")],
      ],
    },
    {
      id: 2,
      name: "many",
      frame: 0,
      value: [[20, { kind: "collection", type: "list", text: "[Tensor, …]", length: 20 }]],
    },
    {
      id: 3,
      name: "x",
      frame: 1,
      value: [
        [6, int("1")],
        [13, null],
      ],
    },
    {
      id: 4,
      name: "y",
      frame: 1,
      value: [
        [10, int("2")],
        [13, null],
      ],
    },
    {
      id: 5,
      name: "x",
      frame: 2,
      value: [
        [26, int("1")],
        [33, null],
      ],
    },
  ];
  const names = Array.from({ length: 20 }, (_, id) => ({
    id,
    path: `many[${id}]`,
    frame: 0,
    tensor: [[20, 0], ...(id === 19 ? [[40, null]] : [])],
  }));
  names.push({
    id: 20,
    path: "y",
    frame: 2,
    tensor: [
      [30, 0],
      [33, null],
    ],
  });
  const tensors = [{ id: 0, type: "Tensor", born: 18 }];
  return indexOf({
    trace: {
      source: "def f(x):\n    y = x + 1\n    return y\nb = f(1)\n",
      header,
      steps,
      frames,
      variables,
      names,
      tensors,
      ended: { kind: "finished" },
    },
  });
}

const stackAt = (index, k) =>
  callsAt(index, stateAt(index, k)).map((call) => [
    call.function,
    call.line,
    `${call.call}/${call.calls}`,
    call.entries.map(
      ({ path, held, tensor, change }) =>
        `${path}=${tensor === null ? (held?.text ?? "-") : `T${tensor}`}${change === null ? "" : ` ${change}`}`,
    ),
  ]);

test("the frames around a step are listed from the module to the innermost, each with its line", () => {
  const index = run();
  assert.equal(depthOf(index), 2);
  assert.deepEqual(
    index.stops.map(({ line }) => line),
    [2, 3, 4, 2, 3, 4],
  );
  assert.deepEqual(stackAt(index, 0), [
    ["<module>", 4, "1/1", []],
    ["f", 2, "1/2", ["x=1 new"]],
  ]);
  assert.deepEqual(stackAt(index, 1)[1], ["f", 3, "1/2", ["x=1", "y=2 new"]]);
  assert.deepEqual(stackAt(index, 4)[1], ["f", 3, "2/2", ["x=1", "y=T0 new"]]);
  assert.equal(stackAt(index, 2).length, 1, "f has returned");
});

test("variables that a step binds or rebinds are marked, and modules are not listed", () => {
  const index = run();
  const [, , , entries] = stackAt(index, 2)[0];
  assert.deepEqual(entries.slice(0, 2), ["b=7 new", "many=[Tensor, …] new"]);
  assert.equal(stackAt(index, 5)[0][3][0], "b=8 changed");
  const [module] = callsAt(index, stateAt(index, 5));
  assert.deepEqual(
    [module.entries[0].was.text, module.entries.length, module.hidden],
    ["7", 9, 12],
    "b, many, seven of its tensors, twelve that are left of thirteen",
  );
  assert.equal(callsAt(index, stateAt(index, 4))[0].hidden, 13);
});

test("a variable keeps its place when another variable is bound", () => {
  const index = run();
  const before = new Map();
  for (const k of index.stops.keys()) {
    for (const { frame, entries } of callsAt(index, stateAt(index, k))) {
      const paths = entries.map(({ path }) => path);
      assert.deepEqual(paths.slice(0, (before.get(frame) ?? []).length), before.get(frame) ?? []);
      before.set(frame, paths);
    }
  }
});

test("the innermost frame is at the line that the page marks", () => {
  for (const index of NAMES.map(indexed)) {
    for (const [k, stop] of index.stops.entries()) {
      const calls = callsAt(index, stateAt(index, k));
      assert.equal(calls[0].frame, 0);
      if (stop.kind === "statement") assert.equal(calls.at(-1).line, stop.line);
    }
  }
});

test("a function that starts a backward counts as called by backward only while the backward runs", () => {
  const span = spanOf(1);
  const step = (id, kind, began, ended, parent, more = {}) => ({
    id,
    kind,
    began,
    ended,
    span,
    ...(parent === undefined ? {} : { parent }),
    ...more,
  });
  const steps = [
    step(0, "statement", 1, 20),
    step(1, "call", 2, 19, 0),
    step(2, "statement", 3, 4, 1),
    step(3, "statement", 5, 10, 1),
    step(4, "node", 6, 7, 3, { node: 0 }),
    step(5, "statement", 11, 12, 1),
  ];
  const nodes = [{ id: 0, name: "AddBackward0", born: 4, edges: [] }];
  const index = indexOf({
    trace: {
      source: "f()\n",
      header,
      steps,
      nodes,
      frames: [{ id: 0, function: "<module>", line: 1, began: 0 }],
      ended: { kind: "finished" },
    },
  });
  assert.deepEqual(
    stopIndexOf(index).passes.map(({ kind, from, to }) => [kind, from, to]),
    [
      ["forward", 0, 0],
      ["backward", 1, 2],
      ["forward", 3, 4],
    ],
  );
});
