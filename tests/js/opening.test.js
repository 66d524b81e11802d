/**
 * Tests of the stop at which the page opens a run: its first error, or else the end of its first backward.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { stopOfFinding } from "../../static/js/run/facts.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { openingStop } from "../../static/js/run/stops/opening.js";
import { stopIndexOf } from "../../static/js/run/stops/stop-index.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { summaryOf } from "../../static/js/words/summary.js";
import { indexed, NAMES } from "./fixtures.js";

const data = indexed("data");
const found = (stop, severity) => ({
  kind: "silently_wrong_gradient",
  severity,
  tick: data.stops[stop].tick,
  steps: [],
  arguments: {},
});
const withFindings = (...findings) => ({ ...data, findings, by_granularity: new Map() });

test("a run opens at its first finding by severity, to which its summary leads, too", () => {
  for (const granularity of GRANULARITIES) {
    const index = withGranularity(withFindings(found(7, "error")), granularity);
    assert.equal(openingStop(index), stopOfFinding(index, index.findings[0]), granularity);
    assert.equal(openingStop(index), summaryOf(index)[1].stop, granularity);
  }
  assert.equal(openingStop(withFindings(found(9, "warning"), found(6, "warning"))), 6);
  assert.equal(openingStop(withFindings(found(2, "hint"), found(4, "warning"), found(9, "error"))), 9);
  assert.equal(openingStop(withFindings(found(2, "hint"), found(4, "warning"))), 4);
  assert.equal(openingStop(withFindings(found(2, "hint"))), 2);
});

test("an exception without an explaining error comes before warnings and hints", () => {
  const last = data.stops.length - 1;
  const raised = {
    ...withFindings(found(3, "warning")),
    ended: { kind: "raised" },
    stops: data.stops.map((stop, k) => (k === last - 1 ? { ...stop, kind: "exception" } : stop)),
  };
  assert.equal(openingStop(raised), last - 1);
  assert.equal(openingStop({ ...raised, findings: [found(3, "error")] }), 3);
});

test("a run without findings opens at the end of its first backward, at every granularity", () => {
  for (const name of NAMES.filter((name) => indexed(name).ended.kind === "finished")) {
    const whole = { ...indexed(name), findings: [] };
    for (const granularity of GRANULARITIES) {
      const index = withGranularity({ ...whole, by_granularity: new Map() }, granularity);
      const pass = stopIndexOf(index).passes.find(({ kind }) => kind === "backward");
      if (pass === undefined) {
        assert.equal(openingStop(index), index.stops.length - 1, name);
        continue;
      }
      assert.equal(openingStop(index), pass.to, `${name} by ${granularity}`);
      const { tensors } = stateAt(index, pass.to);
      assert.ok(
        index.tensors.some(({ id }) => tensors.get(id)?.grad != null),
        `${name} by ${granularity}: a gradient has arrived`,
      );
    }
  }
});

test("a run without a backward opens at its end, and a run without steps at 0", () => {
  const steps = data.steps.filter(({ kind }) => kind !== "node");
  assert.equal(openingStop({ ...data, findings: [], steps }), data.stops.length - 1);
  assert.equal(openingStop({ ...data, findings: [], steps: [], stops: [] }), 0);
});
