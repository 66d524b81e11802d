/** Which signs of the legend a run shows. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { signsOf } from "../../static/js/layout/signs.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { indexed } from "./fixtures.js";

/** @param {string} name */
function signsIn(name) {
  const index = indexed(name);
  const boxes = index.nodes.map(({ id }) => ({ node: id }));
  const graph = /** @type {import("../../static/js/run/types.d.ts").GraphLayout} */ (
    /** @type {unknown} */ ({ boxes })
  );
  return signsOf(index, graph, memoryLayout(index, measuresFor(1440)));
}

test("a write behind autograd's back shows stale tensors", () => {
  const signs = signsIn("data");
  for (const name of ["leaf", "result", "plain", "pocket", "stale", "link", "written", "flow"])
    assert.ok(signs.has(name), name);
  assert.ok(!signs.has("counter"), "x.data has a counter of its own");
});

test("a detached tensor hangs on the counter of its base", () => {
  assert.ok(signsIn("detach").has("counter"));
});
