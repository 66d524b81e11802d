/** Tests which entries of the legend the page shows for a run. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { signsOf } from "../../static/js/layout/signs.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { indexOf } from "../../static/js/run/facts.js";
import { indexed, read } from "./fixtures.js";

/** @param {string} name */
function signsIn(name) {
  return signsOfIndex(indexed(name));
}

/** @param {import("../../static/js/run/types.d.ts").Index} index */
function signsOfIndex(index) {
  const boxes = index.nodes.map(({ id }) => ({ node: id }));
  const graph = /** @type {import("../../static/js/run/types.d.ts").GraphLayout} */ (
    /** @type {unknown} */ ({ boxes })
  );
  return signsOf(index, graph, memoryLayout(index, measuresFor(1440)));
}

test("after a write that autograd does not detect, the legend explains the mark of stale tensors", () => {
  const signs = signsIn("data");
  for (const name of ["leaf", "result", "plain", "pocket", "stale", "link", "written", "flow"])
    assert.ok(signs.has(name), name);
  assert.ok(!signs.has("counter"), "x.data has a counter of its own");
});

test("with a detached tensor, the legend explains the mark of a shared version counter", () => {
  assert.ok(signsIn("detach").has("counter"));
});

test("the legend explains the marks of wrong items only in runs with such marks", () => {
  const marks = ["wrong", "unreached", "clash"];
  for (const name of ["data", "detach"]) for (const sign of marks) assert.ok(!signsIn(name).has(sign), sign);
  const document = read("data");
  const finding = { kind: "broadcast_mismatch", severity: "error", tick: 1 };
  const clashing = [{ ...finding, clashes: [{ tensor: 0, other: "float64" }] }];
  assert.ok(signsOfIndex(indexOf({ ...document, findings: clashing })).has("clash"));
  const corrected = { kind: "right", step: 0, node: 0, gradients: [], sent: [] };
  assert.ok(signsOfIndex(indexOf({ ...document, corrected })).has("wrong"));
});
