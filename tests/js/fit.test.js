import assert from "node:assert/strict";
import { test } from "node:test";

import { LEAST_SCALE, scaleOf } from "../../static/js/layout/measures.js";

const page = { width: 1440, larger: 1 };

test("memory keeps its minimum scale, and a larger text size enlarges the graph", () => {
  assert.equal(scaleOf("memory", { across: 0.7, down: 0.7 }, page), LEAST_SCALE.memory);
  assert.ok(scaleOf("graph", { across: 0.7, down: 0.3 }, { ...page, larger: 1.5, text: 1.5 }) > 1.19);
});
