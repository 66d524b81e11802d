import assert from "node:assert/strict";
import { test } from "node:test";

import { LEAST_SCALE, scaleOf } from "../../static/js/layout/measures.js";

const page = { width: 1440, larger: 1 };

test("a graph opens whole where its letters stay legible, else as wide as it is, else at its usual size", () => {
  for (const [across, down, expected] of [
    [1.1, 1.15, 1.1], // it has room to grow
    [1.25, 0.85, 0.85], // high: whole
    [1.25, 0.5, 1], // too high to be whole: at its full size
    [0.85, 0.3, 0.85], // as wide as its pane
    [0.85, 0.9, 0.85],
    [0.7, 0.9, LEAST_SCALE.graph], // too wide: it is cut anyway, and legible
  ])
    assert.equal(scaleOf("graph", { across, down }, page), expected, `${across} ${down}`);
});

test("memory is never smaller than its least, and larger letters of the page are larger in the graph", () => {
  assert.equal(scaleOf("memory", { across: 0.7, down: 0.7 }, page), LEAST_SCALE.memory);
  assert.ok(scaleOf("graph", { across: 0.7, down: 0.3 }, { ...page, larger: 1.5, text: 1.5 }) > 1.19);
});
