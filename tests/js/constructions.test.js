import assert from "node:assert/strict";
import { test } from "node:test";

import {
  closedFrom,
  constructedAt,
  constructionsOf,
  openedFrom,
  passedBefore,
  runsOfPassed,
  stopBeside,
} from "../../static/js/run/stops/constructions.js";
import { indexOf } from "../../static/js/run/facts.js";
import { firstShown } from "../../static/js/run/stops/opening.js";
import { stateAt } from "../../static/js/run/state-at.js";
import {
  chooseGranularity,
  goBy,
  goTo,
  step,
  toConstruction,
  toStatement,
} from "../../static/js/state/store.js";
import { read } from "./fixtures.js";
import { showRun } from "./replays.js";

/**
 * A run of three lines. Line 2 constructs a Net. The second statement of the Net's constructor constructs a
 * Block, whose constructor has two statements. The stops are 0 | 1 (2 3) 4 5 | 6 7, with the Net between
 * bars and the Block in parentheses.
 */
function constructing({ inBlock = "statement" } = {}) {
  const { header } = read("data").trace;
  const steps = [];
  let tick = 0;
  const begin = (kind, frame, line, parent) =>
    steps.push({ id: steps.length, kind, began: ++tick, frame, parent, span: spanOf(line) }) - 1;
  const end = (id) => (steps[id].ended = ++tick);
  const whole = (kind, frame, line, parent) => end(begin(kind, frame, line, parent));
  whole("statement", 0, 1);
  const model = begin("statement", 0, 2);
  const net = begin("call", 0, 10, model);
  const netBegan = tick;
  whole("statement", 1, 11, net);
  const append = begin("statement", 1, 12, net);
  const block = begin("call", 1, 20, append);
  const blockBegan = tick;
  whole("statement", 2, 21, block);
  whole(inBlock, 2, 22, block);
  const blockEnded = end(block);
  end(append);
  whole("statement", 1, 13, net);
  const netEnded = end(net);
  end(model);
  whole("statement", 0, 3);
  const frames = [
    { id: 0, function: "<module>", began: 0, ended: tick, line: 1 },
    { id: 1, parent: 0, function: "f", constructs: "Net", began: netBegan, ended: netEnded, line: 10 },
    { id: 2, parent: 1, function: "g", constructs: "Block", began: blockBegan, ended: blockEnded, line: 20 },
  ];
  const tensor = (id, born, type, died) => ({ id, born, died, type, geometry: [[born, geometry]] });
  const tensors = [
    tensor(0, netBegan + 1, "Parameter"),
    tensor(1, blockBegan + 1, "Parameter"),
    tensor(2, blockBegan + 1, "Tensor"),
    tensor(3, blockBegan + 1, "Tensor", blockBegan + 2),
    tensor(4, blockBegan + 1, "Tensor"),
  ];
  const registered = [[blockBegan + 1, true]];
  const names = [{ id: 0, path: "self.b", frame: 2, tensor: [[blockBegan + 1, 4]], is_buffer: registered }];
  const source = "\n".repeat(30);
  return indexOf({ trace: { source, header, steps, frames, names, tensors, ended: { kind: "finished" } } });
}
const spanOf = (line) => ({ line, end_line: line, column: 0, end_column: 1 });
const geometry = { dtype: "float32", device: "cpu", layout: "strided", shape: [2, 3], stride: [3, 1] };

/** The stops that are visited by repeated steps in one direction. */
function walked(index, from, direction) {
  const found = [from];
  for (let k = from; ; ) {
    const next = stopBeside(constructionsOf(index), index.stops.length, k, direction);
    if (next === k) return found;
    found.push(next);
    k = next;
  }
}

test("a step from outside skips the construction of a Module, and a step from inside skips only nested ones", () => {
  const index = constructing();
  assert.deepEqual(
    index.stops.map(({ line }) => line),
    [1, 11, 21, 22, 12, 13, 2, 3],
  );
  assert.deepEqual(walked(index, 0, 1), [0, 6, 7]);
  assert.deepEqual(walked(index, 7, -1), [7, 6, 0]);
  assert.deepEqual(walked(index, 1, 1), [1, 4, 5, 6, 7]);
  assert.deepEqual(walked(index, 5, -1), [5, 4, 1, 0]);
  assert.deepEqual(walked(index, 2, 1), [2, 3, 4, 5, 6, 7]);
  assert.deepEqual(walked(index, 3, -1), [3, 2, 1, 0]);
});

test("a button enters the construction that a step skipped, and leaves the one that contains the step", () => {
  const constructions = constructionsOf(constructing());
  const stops = [0, 1, 2, 3, 4, 5, 6, 7];
  assert.deepEqual(
    stops.map((k) => openedFrom(constructions, k)),
    [undefined, undefined, undefined, undefined, 2, undefined, 1, undefined],
  );
  assert.deepEqual(
    stops.map((k) => closedFrom(constructions, k)),
    [undefined, 6, 4, 4, 6, 6, undefined, undefined],
  );
  assert.deepEqual(
    stops.map((k) => passedBefore(constructions, k)),
    [null, null, null, null, 2, null, 1, null],
  );
});

test("a run whose first object is made in a construction opens at the end of the construction, or at its exception", () => {
  const withStorage = (index, born) => ({ ...index, storages: [{ id: 0, born }] });
  const index = constructing();
  for (const k of [1, 2, 5, 6]) assert.equal(firstShown(withStorage(index, index.stops[k].tick)), 6);
  assert.equal(firstShown(withStorage(index, index.stops[7].tick)), 7);
  const raising = constructing({ inBlock: "exception" });
  const raised = raising.stops.findIndex(({ kind }) => kind === "exception");
  assert.equal(firstShown(withStorage(raising, raising.stops[1].tick)), raised);
});

test("the result of a construction counts the tensors that are still alive", () => {
  const index = constructing();
  assert.deepEqual(constructedAt(index, stateAt(index, 6)), {
    classes: ["Net"],
    steps: 5,
    parameters: 2,
    elements: 12,
    buffers: 1,
    others: 1,
  });
  assert.equal(constructedAt(index, stateAt(index, 4)).parameters, 1);
  assert.equal(constructedAt(index, stateAt(index, 5)), null);
});

test("a step stops at an exception in a construction", () => {
  const index = constructing({ inBlock: "exception" });
  const raised = index.stops.findIndex(({ kind }) => kind === "exception");
  assert.ok(walked(index, 0, 1).includes(raised));
  assert.ok(walked(index, index.stops.length - 1, -1).includes(raised));
  assert.equal(passedBefore(constructionsOf(index), index.stops.length - 2), raised + 1);
  const left = stateAt(index, raised + 1);
  assert.equal(constructedAt(index, { ...left, stop: { ...left.stop, kind: "exception" } }), null);
});

test("a run without recorded constructions skips no step", () => {
  const index = constructing();
  for (const frame of index.frames) delete frame.constructs;
  assert.deepEqual(walked({ ...index }, 0, 1), [0, 1, 2, 3, 4, 5, 6, 7]);
});

test("steps and statements on the page skip constructions, and a button enters and leaves them", () => {
  showRun(constructing());
  chooseGranularity("node");
  const at = (act) => {
    act();
    return step.peek();
  };
  assert.deepEqual(
    [
      at(() => goTo(0)),
      at(() => goBy(1)),
      at(toConstruction),
      at(() => toStatement(1)),
      at(toConstruction),
      at(toConstruction),
      at(() => goTo(1)),
      at(toConstruction),
      at(() => toStatement(-1)),
      at(() => goBy(10)),
      at(() => goBy(-10)),
    ],
    [0, 6, 1, 4, 2, 4, 1, 6, 0, 7, 0],
  );
});

test("consecutive stops with a flag become one construction", () => {
  const constructions = runsOfPassed([false, true, true, false, true]);
  assert.deepEqual(
    [0, 3].map((k) => stopBeside(constructions, 5, k, 1)),
    [3, 4],
  );
  assert.equal(stopBeside(constructions, 5, 3, -1), 0);
  assert.deepEqual(
    [1, 3, 4].map((k) => [openedFrom(constructions, k), closedFrom(constructions, k)]),
    [
      [undefined, 3],
      [1, undefined],
      [undefined, 3],
    ],
  );
});
