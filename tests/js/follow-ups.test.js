/** Tests of the requests that follow a run, also when another run begins before they are answered. */
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  askAfterRun,
  askForTrial,
  correctedGradientsOf,
  hangUp,
  verdictOf,
} from "../../static/js/session/follow-ups.js";

/** @type {{path: string, answer: (body: object) => void}[]} */
const asked = [];
globalThis.fetch = (path, { signal }) =>
  new Promise((resolve, reject) => {
    const answer = (/** @type {object} */ body) => resolve(new Response(JSON.stringify(body)));
    asked.push({ path: String(path), answer });
    signal?.addEventListener("abort", () => reject(signal.reason));
  });

const settled = () => new Promise((resolve) => setImmediate(resolve));

function longRun() {
  const finding = { kind: "silently_wrong_gradient", fixes: [{ title: "t", source: "fixed" }] };
  const corrected = { answer: null };
  return /** @type {any} */ ({ source: "s", header: {}, findings: [finding], by_granularity: {}, corrected });
}

test("testing a fix cancels no other request, and repeats a request that a later run cancelled", async () => {
  const index = longRun();
  askAfterRun(index, null);
  const [first, trials] = asked.splice(0);
  assert.deepEqual([first?.path, trials?.path], ["/api/v1/right", "/api/v1/trials"]);
  trials?.answer({ trials: [] });
  await settled();
  assert.equal(correctedGradientsOf(index), null);
  hangUp();
  await settled();
  assert.equal(correctedGradientsOf(index), undefined, "given up is not unknown");
  const tried = askForTrial(index, index.findings[0], 0);
  const [right, trial] = asked.splice(0);
  assert.deepEqual([right?.path, trial?.path], ["/api/v1/right", "/api/v1/trials"]);
  assert.equal(verdictOf(index, index.findings[0], 0), "pending");
  right?.answer({ kind: "same" });
  await settled();
  assert.deepEqual(correctedGradientsOf(index), { kind: "same" });
  assert.deepEqual(index.corrected.answer, { kind: "same" }, "where the pictures look");
  trial?.answer({ trials: [{ finding: 0, fix: 0, verdict: "works", reason: "" }] });
  await tried;
  assert.equal(verdictOf(index, index.findings[0], 0), "works");
});

test("testing a fix does not repeat a pending request for corrected gradients", async () => {
  const index = longRun();
  askAfterRun(index, null);
  const [right] = asked.splice(0);
  void askForTrial(index, index.findings[0], 0);
  assert.deepEqual(
    asked.splice(0).map(({ path }) => path),
    ["/api/v1/trials"],
  );
  right?.answer({ kind: "same" });
  await settled();
  assert.deepEqual(correctedGradientsOf(index), { kind: "same" });
  hangUp();
});
