import assert from "node:assert/strict";
import { test } from "node:test";

import { callsAt } from "../../static/js/run/stops/calls.js";
import { indexOf } from "../../static/js/run/facts.js";
import { withGranularity } from "../../static/js/run/stops/granularity.js";
import { nextOnLine } from "../../static/js/run/stops/line-stops.js";
import { loopsOf } from "../../static/js/run/stops/loops.js";
import { codeOf, fileOf, placeOfStep } from "../../static/js/run/places.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { stopIndexOf } from "../../static/js/run/stops/stop-index.js";
import { bundleOf } from "../../static/js/state/bundle.js";
import { FluentResource } from "../../static/vendor/fluent.js";
import { read } from "./fixtures.js";
import { textOf } from "./spoken.js";

const { header } = read("data").trace;
const SOURCE = ["from net import f", "for n in range(2):", "    f(n)"].join("\n");
const files = [
  { id: 0, path: "net.py", text: "# first\ndef f(n):\n    g(n)\n", is_followed: true },
  { id: 1, path: "lib/layer.py" },
];

/**
 * A run with two iterations of a loop that calls a function in another file. One operator wrote within a
 * library, whose statements are not recorded.
 */
function run() {
  const steps = [];
  const ran = (kind, line, parent, more = {}) => {
    const id = steps.length;
    const span = { line, end_line: line, column: line === 2 ? 0 : 4, end_column: 8, ...(more.file ?? {}) };
    const { file: _, ...fields } = more;
    steps.push({ id, kind, began: 10 * id + 1, ended: 1000 - id, frame: 0, parent, span, ...fields });
    return id;
  };
  const frames = [{ id: 0, function: "<module>", line: 1, began: 0, ended: 2000 }];
  for (const round of [0, 1]) {
    ran("statement", 2, undefined, { ended: 200 * round + 5, began: 200 * round + 2 });
    const call = ran("statement", 3, undefined, { began: 200 * round + 10, ended: 200 * round + 100 });
    const frame = frames.push({
      id: frames.length,
      function: "f",
      line: 2,
      file: 0,
      parent: 0,
      began: 200 * round + 20,
      ended: 200 * round + 90,
    });
    const inner = { frame: frame - 1, file: { file: 0 } };
    const called = ran("call", 2, call, {
      ...inner,
      name: "f",
      began: 200 * round + 20,
      ended: 200 * round + 90,
    });
    const body = ran("statement", 3, called, { ...inner, began: 200 * round + 30, ended: 200 * round + 80 });
    ran("operator", 3, body, {
      ...inner,
      name: "aten::fill_",
      began: 200 * round + 40,
      ended: 200 * round + 50,
    });
  }
  const writes = [{ id: 0, tick: 45, step: 4, storage: 0, begin: 0, end: 4, place: { line: 7, file: 1 } }];
  const storages = [{ id: 0, born: 1, device: "cpu", address: "0x10", nbytes: [[1, 4]] }];
  return indexOf({
    trace: { source: SOURCE, header, files, steps, frames, writes, storages, ended: { kind: "finished" } },
  });
}

const index = run();
const elsewhere = index.stops.filter((stop) => fileOf(stop) === 0);

test("a stop in another file has no line of the run's source, and is located by file and line", () => {
  assert.equal(elsewhere.length, 2);
  for (const stop of elsewhere) {
    assert.deepEqual([stop.line, stop.end_line, stop.place], [0, 0, "net.py:3"]);
    assert.equal(codeOf(index, stop), "g(n)");
  }
  const trace_file = index.stops.find((stop) => stop.line === 3);
  assert.equal(trace_file?.place, 3);
  assert.equal(codeOf(index, trace_file), "f(n)");
});

test("a line of another file does not count as a line of the source", () => {
  assert.deepEqual([...stopIndexOf(index).reached.keys()].sort(), [2, 3]);
  const onThree = [0, 1, 2, 3, 4, 5].map((k) => nextOnLine(index, 3, k, 1)?.k);
  assert.ok(onThree.every((k) => k !== undefined && index.stops[k]?.line === 3));
  assert.equal(nextOnLine(index, 0, 0, 1), null);
  assert.deepEqual(
    loopsOf(index).map(({ line, rounds }) => [line, rounds.length]),
    [[2, 2]],
  );
});

test("a call in another file shows its line there", () => {
  const k = index.stops.indexOf(elsewhere[0]);
  assert.deepEqual(
    callsAt(index, stateAt(index, k)).map(({ function: name, line }) => [name, line]),
    [
      ["<module>", 3],
      ["f", "net.py:3"],
    ],
  );
});

test("a write within a library is located by file and line, and shown with the code of its statement", () => {
  assert.equal(placeOfStep(index, 4), "lib/layer.py:7");
  const stop = withGranularity(index, "operator").stops.find(({ step }) => step.id === 4);
  assert.equal(stop?.place, "lib/layer.py:7");
  assert.equal(fileOf(stop), 0);
});

test("sentences name the file of a line in another file, and other lines by number", () => {
  for (const [language, there, here] of [
    ["en", "line 7 of lib/layer.py", "line 1234"],
    ["zh-CN", "第 lib/layer.py:7 行", "第 1234 行"],
  ]) {
    const bundle = bundleOf(language);
    bundle.addResource(new FluentResource(textOf(language)));
    const say = (line) => bundle.formatPattern(bundle.getMessage("line").value, { line });
    assert.equal(say("lib/layer.py:7"), there);
    assert.equal(say(1234), here);
  }
});
