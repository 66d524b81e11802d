import assert from "node:assert/strict";
import { test } from "node:test";

import { printed } from "../../static/js/lazy/traceback/printed.js";

const SOURCE = "def f(n):\n    return f(n - 1)\n\nx = [\n    f(3),\n]\n";
const span = (line, end_line = line, file = undefined) => ({
  line,
  end_line,
  column: 0,
  end_column: 1,
  file,
});
const index = {
  source: SOURCE,
  files: [
    { id: 0, path: "net.py", text: "\ng()\n" },
    { id: 1, path: "lib/other.py" },
  ],
  stops: [
    { span: span(2, 2, 0) },
    { span: span(4, 6) },
    { span: span(2) },
    { span: span(2) },
    { span: null },
  ],
};
const of = (traceback, message = "no") =>
  printed(index, { kind: "raised", type: "E", message, line: 1, traceback });
const texts = (pieces) => pieces.map(({ text }) => text);
const down = { line: 2, function: "Net.walk.<locals>.f" };
const top = { line: 5, function: "<module>" };

test("a function is named without its class, and each call leads to the last stop on its line", () => {
  const pieces = of(
    [top, { line: 2, function: "g", file: 0 }, { line: 9, function: "h", file: 1 }, down],
    "",
  );
  assert.deepEqual(texts(pieces), [
    "Traceback (most recent call last):",
    '  File "snippet.py", line 5, in <module>\n    f(3),',
    '  File "net.py", line 2, in g\n    g()',
    '  File "lib/other.py", line 9, in h',
    '  File "snippet.py", line 2, in f\n    return f(n - 1)',
    "E",
  ]);
  assert.deepEqual(
    pieces.map(({ stop }) => stop),
    [null, 1, 0, null, 3, null],
  );
});

test("repeated lines are counted after three times, as in Python", () => {
  const repeated = (count) => texts(of([top, ...Array(count).fill(down)])).at(-2);
  assert.doesNotMatch(repeated(3), /repeated/);
  assert.match(repeated(4), /\n {2}\[Previous line repeated 1 more time\]$/);
  assert.match(repeated(900), /\n {2}\[Previous line repeated 897 more times\]$/);
  assert.equal(of([top, ...Array(900).fill(down)]).length, 6);
});

test("the middle of a long traceback is omitted and counted", () => {
  const way = Array.from({ length: 100_000 }, (_, number) => [down, top][number % 2]);
  const pieces = of(way);
  const shown = pieces.filter(({ stop }) => stop !== null).length;
  const omitted = pieces.find((piece) => piece.omitted !== undefined)?.omitted;
  assert.equal(shown + omitted, way.length);
  assert.ok(shown <= 60);
});

test("text of a snippet is legible, and without a traceback only the message is printed", () => {
  assert.deepEqual(texts(of([], "a\n\u202eb")), ["E: a\n\\u202eb"]);
});
