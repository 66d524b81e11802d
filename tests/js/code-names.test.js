/** Tests of the names in a source that refer to variables in scope, and of their values at a step. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { namesIn, namesOf, valueAt } from "../../static/js/run/naming/code-names.js";
import { carried, nextAtBreakpoint, nextOnLine } from "../../static/js/run/stops/line-stops.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { indexed, NAMES } from "./fixtures.js";

const paths = (source) =>
  [...namesIn(source)].map(([line, places]) => `${line}: ${places.map(({ path }) => path).join(" ")}`);

test("each part of a path is a name, and strings, comments, keywords and numbers are not", () => {
  assert.deepEqual(paths(`y = net.fc["a"].weight[0] + 1e5 # x\nprint(f"{x}", 'it''s')\n`), [
    `1: y net net.fc net.fc["a"] net.fc["a"].weight net.fc["a"].weight[0]`,
    "2: print",
  ]);
  assert.deepEqual(paths('a = """x\ny = 2\n""" + b\nc = größe.sum().grad\n'), [
    "1: a",
    "3: b",
    "4: c größe größe.sum",
  ]);
});

test("names that belong to other scopes, such as a lambda's, are omitted", () => {
  assert.deepEqual(paths("z = [x * k for x, _ in xs if x]\nw = 1\n"), ["1: z k xs", "2: w"]);
  assert.deepEqual(paths("f = lambda a, b=c: a + d\n"), ["1: f d"]);
  assert.deepEqual(paths("def f(x, y=z):\n    return x\n"), ["2: x"]);
  assert.deepEqual(paths("g(\n    dim=q,\n    other == r,\n)\nfor x in xs:\n    x == y\n"), [
    "1: g",
    "2: q",
    "3: other r",
    "5: x xs",
    "6: x y",
  ]);
});

test("the position of a name is in UTF-16 units of its line", () => {
  for (const name of NAMES) {
    const index = indexed(name);
    const lines = index.source.split("\n");
    for (const [line, places] of namesOf(index))
      for (const { from, to, path } of places) {
        assert.ok(path.endsWith(lines[line - 1].slice(from, to)), `${name} ${line} ${path}`);
      }
  }
});

test("a name has the value that its frame records, and no value before it is bound", () => {
  let [bound, unbound] = [0, 0];
  for (const name of NAMES) {
    const index = indexed(name);
    for (const k of index.stops.keys()) {
      const state = stateAt(index, k);
      for (const places of namesOf(index).values())
        for (const place of places) {
          const value = valueAt(index, state, place);
          if (value?.kind === "tensor" && !place.path.endsWith(".grad")) {
            assert.ok(
              state.tensors.get(value.tensor).labels.some(({ text }) => text.split(" · ")[0] === place.path),
            );
            bound += 1;
          }
          if (value?.kind === "unbound") unbound += 1;
        }
    }
  }
  assert.ok(bound > 50 && unbound > 10);
});

test("a line leads to its next stop, and after the last to its first", () => {
  for (const name of NAMES)
    for (const granularity of GRANULARITIES) {
      const index = withGranularity(indexed(name), granularity);
      for (const line of index.source.split("\n").keys()) {
        const stops = [...index.stops.keys()].filter(
          (k) => index.stops[k].line <= line + 1 && line + 1 <= index.stops[k].end_line,
        );
        for (const k of index.stops.keys()) {
          const later = stops.find((each) => each > k);
          const expected =
            stops.length === 0 ? null : { k: later ?? stops[0], isWrapped: later === undefined };
          assert.deepEqual(nextOnLine(index, line + 1, k, 1), expected);
        }
      }
    }
});

test("a breakpoint stops once for each execution of its statement, in both directions", () => {
  const index = withGranularity(indexed("loop"), "operator");
  const line = index.stops.findLast(({ kind }) => kind === "node").line;
  const statements = new Set(index.stops.filter((stop) => stop.line === line && stop.kind === "statement"));
  const from = (k, direction) => {
    const next = nextAtBreakpoint(index, new Set([line]), k, direction);
    return next === undefined ? [] : [next, ...from(next, direction)];
  };
  const [forward, back] = [from(-1, 1), from(index.stops.length, -1).reverse()];
  assert.equal(forward.length, statements.size);
  assert.deepEqual(forward, back);
  assert.equal(nextAtBreakpoint(index, new Set(), 0, 1), undefined);
});

test("breakpoints follow their lines when the code is edited", () => {
  const before = "a\nb\nc\nd\ne";
  assert.deepEqual(carried([1, 3, 5], before, "a\nb\nnew\nc\nd\ne"), [1, 4, 6]);
  assert.deepEqual(carried([1, 3, 5], before, "a\nb\nC\nd\ne"), [1, 5]);
  assert.deepEqual(carried([1, 3], before, before), [1, 3]);
  assert.deepEqual(carried([1, 3], before, "x\ny\nz"), []);
});
