import assert from "node:assert/strict";
import { test } from "node:test";

import { indexOf } from "../../static/js/run/facts.js";
import { read } from "./fixtures.js";
import { sentencesAt, speaker } from "./spoken.js";

const { header } = read("data").trace;
const LINES = [
  "def inner(n):",
  "    raise ValueError('no')",
  "def outer(n):",
  "    with torch.no_grad():",
  "        return inner(n)",
  "try:",
  "    outer(1)",
  "except ValueError:",
  "    pass",
];

/**
 * A run in which line 7 calls `outer`, which calls `inner`, which raises an exception on line 2. `next`: the
 * line that is executed after the exception.
 */
function run(next, { ended = { kind: "finished" }, isToldAgain = false } = {}) {
  const steps = [];
  const ran = (kind, line, frame, parent, more = {}) => {
    const id = steps.length;
    const span = { line, end_line: line, column: 0, end_column: 1 };
    steps.push({ id, kind, began: 2 * id + 1, ended: 60 - id, frame, span, parent, ...more });
    return id;
  };
  const statement = ran("statement", 7, 0);
  const outer = ran("call", 3, 0, statement, { name: "outer" });
  ran("statement", 4, 1, outer, { ended: 6 });
  const middle = ran("statement", 5, 1, outer, { ended: 30 });
  const inner = ran("call", 1, 1, middle, { name: "inner", ended: 29 });
  const raising = ran("statement", 2, 2, inner, { ended: 28 });
  ran("exception", 2, 2, raising, { name: "ValueError", message: "no", ended: 27 });
  ran("statement", 4, 1, outer, { began: 31, ended: 32 });
  if (isToldAgain)
    ran("exception", 7, 0, statement, { name: "ValueError", message: "no", began: 33, ended: 34 });
  if (next !== undefined) ran("statement", next, 0, undefined, { began: 61, ended: 62 });
  const frames = ["<module>", "outer", "inner"].map((name, id) => ({
    id,
    function: name,
    line: [1, 3, 1][id],
    began: [0, 3, 9][id],
    ended: 63,
  }));
  return indexOf({ trace: { source: LINES.join("\n"), header, steps, frames, ended } });
}

const said = (index, line, { tell } = speaker("en")) => {
  const k = index.stops.findLastIndex((stop) => stop.line === line);
  return sentencesAt(index, k).map(tell);
};

const BROKEN_OFF = "`inner` raised `ValueError` on line 2, which ended this statement.";
const WAY = "The calls that led there: line 7 called `outer` and line 5 called `inner`.";

test("an exception has sentences where it was raised and at every statement whose call it ended", () => {
  const ended = { kind: "raised", type: "ValueError", message: "no", line: 2 };
  for (const isToldAgain of [false, true])
    for (const index of [run(8, { isToldAgain }), run(undefined, { ended, isToldAgain })]) {
      assert.deepEqual(said(index, 2), ["Line 2 raised `ValueError`: no"]);
      assert.deepEqual(said(index, 5), [BROKEN_OFF]);
      assert.deepEqual(said(index, 7), [BROKEN_OFF, WAY]);
    }
});

test("an exception that native code caught has no sentence at the statement around the call", () => {
  assert.deepEqual(said(run(9), 7), ["This step changes nothing in the pictures."]);
});
