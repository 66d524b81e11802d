/**
 * Tests of the summary of a run: each kind of end has a sentence in each language, and each sentence leads
 * to its step.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { summaryOf } from "../../static/js/words/summary.js";
import { indexed } from "./fixtures.js";
import { LANGUAGES, speaker } from "./spoken.js";

const ran = indexed("views");
const data = indexed("data");
const write = data.stops.findIndex(({ mark }) => mark === "write");
/** A document with an added finding, as the server adds it. */
const wrong = {
  ...data,
  findings: [
    {
      kind: "silently_wrong_gradient",
      severity: "error",
      tick: data.stops[write].tick,
      steps: [1, data.stops[write].step.id, data.stops.at(-1).step.id],
      arguments: { effect: "wrong" },
    },
  ],
};
const told = (index, language = "en", corrected = undefined) =>
  summaryOf(index, corrected).map(({ sentence }) => speaker(language).tell(sentence));
const ended = (index, kind, args = {}, rest = {}) => ({
  ...index,
  ended: { kind },
  end_arguments: args,
  findings: [],
  ...rest,
});

/** Each way in which a run can end (app/trace/ends.py), with the arguments of its message. */
const ENDS = {
  finished: {},
  raised: { type: "ValueError", message: "no", line: 7 },
  exited: { code: "3" },
  stopped: { limit: "steps", reached: 4 },
  timed_out: { clock: "wall", seconds: 5 },
  out_of_memory: { size: "1 GiB", line: 0 },
  output_too_large: { size: "64 KiB" },
  trace_too_large: { size: "8 MiB" },
  cancelled: {},
  worker_stopped: {},
  crashed: { name: "SIGSEGV" },
  interfered: {},
};

test("every end has a separate sentence in both languages, even without a step", () => {
  for (const language of LANGUAGES) {
    const sentences = Object.entries(ENDS).map(([kind, args]) => told(ended(ran, kind, args), language));
    assert.ok(sentences.every((parts) => parts.length === 1 && parts[0] !== ""));
    assert.equal(new Set(sentences.flat()).size, sentences.length);
    for (const [kind, args] of Object.entries(ENDS)) {
      const [part] = summaryOf(ended(ran, kind, args, { stops: [] }), undefined);
      assert.equal(part.stop, null, kind);
      assert.notEqual(speaker(language).tell(part.sentence), "");
    }
  }
});

test("the summary of an exception has its place and explanation, and leads to its step", () => {
  const last = wrong.stops.length - 1;
  const raised = ended(wrong, "raised", ENDS.raised, {
    stops: wrong.stops.map((stop, k) => (k === last ? { ...stop, kind: "exception" } : stop)),
  });
  assert.deepEqual(told(raised), [`ValueError at step ${last + 1}, line 7: no`]);
  assert.equal(summaryOf(raised)[0].stop, last);
  const why = { kind: "shape_mismatch", severity: "error", tick: wrong.stops[last].tick, arguments: {} };
  const [explained, ...more] = summaryOf({ ...raised, findings: [{ ...why, kind: "not_scalar" }] });
  assert.equal(explained.sentence.id, "summary-raised-why");
  assert.deepEqual([explained.sentence.args.why.id, more], ["finding-not_scalar-title", []]);
  const nowhere = ended(wrong, "raised", { ...ENDS.raised, type: "SyntaxError" }, { stops: [] });
  assert.deepEqual(told(nowhere), ["SyntaxError on line 7: no"]);
});

test("silently wrong gradients are counted once the corrected ones are known, and lead to the write", () => {
  const [end, found] = summaryOf(wrong);
  assert.deepEqual([end.look, found.look, found.stop], ["well", "warned", write]);
  assert.deepEqual(told(wrong), ["Finished", `Gradients are silently wrong: step ${write + 1}`]);
  const [finding] = wrong.findings;
  const cells = (value) => ({ kind: "cells", dtype: "float32", values: [value] });
  const gradient = (from, to) => ({
    tensor: 0,
    name: "w",
    is_grad: true,
    shape: [1],
    wrong: cells(from),
    right: cells(to),
  });
  const right = {
    kind: "right",
    step: finding.steps.at(-1),
    node: 0,
    gradients: [gradient(1, 4), gradient(3, 3)],
  };
  assert.equal(told(wrong, "en", right)[1], `1 gradient is silently wrong: step ${write + 1}`);
  assert.equal(told(wrong, "en", { kind: "same" })[1], `A write changed no gradient: step ${write + 1}`);
  const another = { ...finding, steps: [...finding.steps.slice(0, -1), 0] };
  const two = { ...wrong, findings: [finding, another] };
  assert.match(told(two, "en", right)[1], /^Gradients are/, "the count is of one backward alone");
  const waits = { ...wrong, findings: [{ ...finding, severity: "warning", arguments: { effect: "waits" } }] };
  assert.equal(summaryOf(waits)[1].sentence.id, "summary-warnings");
  const [, several] = told({ ...waits, findings: [...waits.findings, ...waits.findings] }, "en");
  assert.match(several, /^[A-Z].*, and 1 more: step \d+$/, "warnings are named");
});

test("the summary of a run with unfinished checks does not say that nothing was found", () => {
  assert.deepEqual(told({ ...ran, findings: [], unfinished: 0 }), ["Finished, and nothing to warn about"]);
  assert.deepEqual(told({ ...ran, findings: [], unfinished: 2 }), [
    "Finished; not everything could be checked",
  ]);
  const hint = { kind: "x", severity: "hint", tick: ran.stops[2].tick };
  const hinted = summaryOf({ ...ran, findings: [hint, hint] });
  assert.deepEqual([hinted[1].look, hinted[1].stop, hinted[1].sentence.id], ["hinted", 2, "summary-hints"]);
});

test("an object that the sandbox replaced is named once, at its first step", () => {
  const steps = ran.steps.map((step, k) => (k === 3 || k > 5 ? { ...step, substituted: "compile" } : step));
  const parts = summaryOf({ ...ran, findings: [], steps });
  assert.equal(parts.length, 2);
  assert.match(told({ ...ran, findings: [], steps })[1], /^`torch.compile` runs eagerly: step \d+$/);
  const two = steps.map((step, k) => (k === 7 ? { ...step, substituted: "workers" } : step));
  assert.match(
    told({ ...ran, findings: [], steps: two })[1],
    /^`torch.compile` runs eagerly, and 1 more: step \d+$/,
  );
  for (const language of LANGUAGES)
    for (const what of ["compile", "workers", "process_group"]) {
      const [, sentence] = told({ ...ran, steps: [{ ...ran.steps[0], substituted: what }] }, language);
      assert.doesNotMatch(sentence, /summary-|\{/);
    }
});
