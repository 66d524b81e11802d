/** Tests of the verdicts on fixes, also of a fix that is tested later than the others. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { hasFixes, verdictIn, withTrial } from "../../static/js/run/trials.js";

const answer = [
  { finding: 0, fix: 0, verdict: "works" },
  { finding: 0, fix: 1, verdict: "fails" },
  { finding: 1, fix: 0, verdict: "untried" },
];

test("a verdict is found by finding and fix, and a fix without a verdict counts as untried", () => {
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

test("a fix whose test had no result does not count as untried", () => {
  const verdictOf = (reason) => verdictIn([{ finding: 0, fix: 0, verdict: "untried", reason }], 0, 0);
  assert.deepEqual(["gradients_unknown", "unfinished"].map(verdictOf), Array(2).fill("untold"));
  assert.equal(verdictOf("unsteady"), "unsteady");
  assert.deepEqual(["later", "long", "busy"].map(verdictOf), Array(3).fill("untried"));
});

test("the later test of one fix replaces only the verdict of this fix", () => {
  const latest = withTrial(answer, { finding: 1, fix: 0, verdict: "works" });
  assert.deepEqual(
    [verdictIn(latest, 1, 0), verdictIn(latest, 0, 0), verdictIn(latest, 0, 1), latest.length],
    ["works", "works", "fails", 3],
  );
  assert.equal(verdictIn(withTrial([], { finding: 2, fix: 3, verdict: "pending" }), 2, 3), "pending");
  assert.equal(verdictIn(answer, 1, 0), "untried", "the answer itself stays");
});

test("findings without fixes are not tested", () => {
  assert.deepEqual([{}, { fixes: [] }, { fixes: [{ title: "t", source: "s" }] }].map(hasFixes), [
    false,
    false,
    true,
  ]);
});
