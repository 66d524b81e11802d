import assert from "node:assert/strict";
import { test } from "node:test";

import { barsOf, keyOf, pollOf, votesOf } from "../../static/js/lazy/room/poll/poll-state.js";

const line = (number) => ({ kind: "line", line: number });

test("votes for equal answers are counted together, and votes for different answers are not", () => {
  const answers = [
    { kind: "cell", storage: 1, cell: 2 },
    { kind: "cell", storage: 2, cell: 1 },
    { kind: "cell", storage: 0, cell: 0 },
    { kind: "number", number: 0 },
    { kind: "number", number: "nan" },
    { kind: "name", name: "none" },
    { kind: "none" },
    { kind: "whether", whether: false },
    line(3),
  ];
  assert.equal(new Set(answers.map(keyOf)).size, answers.length);
  assert.equal(keyOf({ cell: 2, storage: 1, kind: "cell" }), keyOf(answers[0]));
});

test("the bars of yes and no are both shown, always in the same order", () => {
  const no = { kind: "whether", whether: false };
  assert.deepEqual(barsOf({ form: "whether" }, [[no, 4]], [], 8).rows, [
    [{ kind: "whether", whether: true }, 0],
    [no, 4],
  ]);
});

test("the right answer has a bar even if nobody chose it", () => {
  const tally = [1, 2, 3, 4].map((number) => /** @type {const} */ ([line(number), 10 - number]));
  const { rows, others } = barsOf({ form: "line" }, tally, [line(9)], 3);
  assert.deepEqual(rows, [
    [line(1), 9],
    [line(2), 8],
    [line(9), 0],
  ]);
  assert.equal(others, 13);
  assert.deepEqual(barsOf({ form: "line" }, tally, [line(4)], 3).rows.at(-1), [line(4), 6]);
  assert.equal(barsOf({ form: "line" }, tally, [line(2)], 4).others, 0);
});

test("an invalid question from the server is ignored", () => {
  for (const told of [null, undefined, 3, "poll", {}, { id: "1", question: {}, legal: {} }])
    assert.equal(pollOf(told), null);
  for (const told of [null, {}, { poll: 1 }]) assert.equal(votesOf(told), null);
});
