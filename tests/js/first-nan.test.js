/** Tests of the first NaN of a forward: which operator computed it, and where the page reports it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { birthIn, oddIn } from "../../static/js/run/values/nonfinite.js";
import { firstNanIn } from "../../static/js/run/values/first-nan.js";
import { indexOf, stopAtTick } from "../../static/js/run/facts.js";
import { openingStop } from "../../static/js/run/stops/opening.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { stepSentences } from "../../static/js/words/steps/sentences.js";
import { summaryOf } from "../../static/js/words/summary.js";
import { read } from "./fixtures.js";
import { LANGUAGES, speaker } from "./spoken.js";

/**
 * A recorded run, changed so that its matrix product returned NaN.
 * @param {(document: any, operator: any) => void} [change]
 */
function withNan(change = () => undefined) {
  const document = read("data");
  const { trace } = document;
  const operator = trace.steps.find(({ name }) => /^aten::(mm|matmul|mv)$/.test(name ?? ""));
  const made = trace.tensors.find(({ made_by }) => made_by === operator.id);
  const storage = trace.storages[made.geometry[0][1].storage];
  storage.contents[0][1].values[0] = "nan";
  document.findings = [];
  change(document, operator);
  const index = indexOf(document);
  return { index, operator: index.steps[operator.id], storage: storage.id };
}

test("the operator that computed the first NaN from numbers is reported, and its Node and cells are red", () => {
  const { index, operator, storage } = withNan();
  const first = firstNanIn(index);
  assert.equal(first?.operator, operator);
  assert.equal(index.nodes[first?.node ?? -1]?.made_by, operator.id);
  assert.deepEqual(birthIn(index)?.node, first?.node);
  const stop = stopAtTick(index, first?.tick ?? 0);
  assert.ok(oddIn(index, stateAt(index, stop), storage)?.("nan"));
  assert.equal(oddIn(index, { tick: (first?.tick ?? 0) - 1 }, storage), null);
  assert.equal(openingStop(index), stop);
  for (const language of LANGUAGES) {
    const { tell } = speaker(language);
    const parts = summaryOf(index, undefined).map(({ sentence }) => tell(sentence));
    assert.ok(parts[1]?.includes(operator.name ?? "?"), parts.join());
    const sentences = stepSentences(index, stateAt(index, stop), stateAt(index, stop - 1)).map(tell);
    assert.ok(sentences[0]?.includes("nan"), sentences.join());
  }
  const told = [...index.stops.keys()].filter((k) =>
    stepSentences(index, stateAt(index, k), null).some(({ id }) => id === "story-first-nan"),
  );
  assert.deepEqual(told, [stop]);
});

test("a NaN is not reported if the program wrote, copied or removed it, or if it is not the first", () => {
  const isNothing = (change) => assert.equal(firstNanIn(withNan(change).index), null);
  isNothing(({ trace }) => (trace.source += "# float('nan')"));
  isNothing((_, operator) => (operator.name = "aten::lift_fresh"));
  isNothing(({ trace }, operator) => {
    const later = trace.steps.find(({ kind, began }) => kind === "operator" && began > operator.ended);
    later.name = "aten::where";
  });
  isNothing(({ trace }) => (trace.storages[0].contents[0][1] = { kind: "unknown", reason: "far away" }));
  assert.equal(firstNanIn(indexOf(read("data"))), null);
});
