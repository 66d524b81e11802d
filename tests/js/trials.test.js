/** Verdicts on fixes: known ones, unknown ones, and a fix that is tested separately. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { hasFixes, verdictIn, withTrial } from "../../static/js/run/trials.js";

const answer = [
  { finding: 0, fix: 0, verdict: "works" },
  { finding: 0, fix: 1, verdict: "fails" },
  { finding: 1, fix: 0, verdict: "untried" },
];

test("a fix is told by its finding and its number; what no answer names was not tried", () => {
  const told = [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
    [-1, 0],
  ].map(([finding, fix]) => verdictIn(answer, finding, fix));
  assert.deepEqual(told, ["works", "fails", "untried", "untried", "untried"]);
  assert.equal(verdictIn([], 0, 0), "untried");
  assert.equal(verdictIn(null, 0, 0), "pending");
  assert.equal(verdictIn(undefined, 0, 0), "pending");
});

test("one that was run and cannot be judged was not left untried", () => {
  const verdictOf = (reason) => verdictIn([{ finding: 0, fix: 0, verdict: "untried", reason }], 0, 0);
  assert.deepEqual(["gradients_unknown", "unfinished"].map(verdictOf), Array(2).fill("untold"));
  assert.equal(verdictOf("unsteady"), "unsteady");
  assert.deepEqual(["later", "long", "busy"].map(verdictOf), Array(3).fill("untried"));
});

test("one that is tried alone replaces what was known of it, and of no other", () => {
  const latest = withTrial(answer, { finding: 1, fix: 0, verdict: "works" });
  assert.deepEqual(
    [verdictIn(latest, 1, 0), verdictIn(latest, 0, 0), verdictIn(latest, 0, 1), latest.length],
    ["works", "works", "fails", 3],
  );
  assert.equal(verdictIn(withTrial([], { finding: 2, fix: 3, verdict: "pending" }), 2, 3), "pending");
  assert.equal(verdictIn(answer, 1, 0), "untried", "the answer itself stays");
});

test("findings without fixes ask for no trial", () => {
  assert.deepEqual([{}, { fixes: [] }, { fixes: [{ title: "t", source: "s" }] }].map(hasFixes), [
    false,
    false,
    true,
  ]);
});
