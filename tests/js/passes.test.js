/** Tests of the passes of a run (forward, backward, update) and of the stops that belong to them. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { stopIndexOf } from "../../static/js/run/stops/stop-index.js";
import { indexed, NAMES } from "./fixtures.js";

/** @param {import("../../static/js/run/types.d.ts").Index} index */
function linesOf(index) {
  /** @type {Record<string, Set<number>>} */
  const lines = { forward: new Set(), backward: new Set(), update: new Set() };
  for (const { kind, from, to } of stopIndexOf(index).passes)
    for (const { line } of index.stops.slice(from, to + 1)) lines[kind]?.add(line);
  return lines;
}

test("an optimizer's step is an update, at every granularity", () => {
  for (const granularity of GRANULARITIES) {
    const { forward, backward, update } = linesOf(withGranularity(indexed("loop"), granularity));
    assert.deepEqual([...update], [12], granularity);
    assert.ok(backward.has(11) && !backward.has(12) && !forward.has(12), granularity);
  }
});

test("passes cover every stop once, and writes of a forward are not updates", () => {
  for (const name of NAMES) {
    const index = indexed(name);
    const { passes } = stopIndexOf(index);
    assert.deepEqual(
      passes.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, k) => from + k)),
      [...index.stops.keys()],
    );
    const hasUpdate = passes.some(({ kind }) => kind === "update");
    assert.equal(hasUpdate, name === "loop", name);
  }
});
