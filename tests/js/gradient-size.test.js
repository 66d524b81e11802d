/**
 * Tests of where the size of a gradient is written below a folded group, next to the edges that end there.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { gradientPlace } from "../../static/js/stage/gradient-size.js";

const box = { key: "g", x: 100, y: 0, width: 180, height: 60, body: 50 };

/**
 * Where the size of a gradient is placed below a box, at which edges end at the given `x`. Each drawn edge
 * stands for `count` edges.
 */
function placeBeside(...ends) {
  const edges = ends.map(([x, count]) => ({
    to: "g",
    merged: Array.from({ length: count }, (_, at) => `e${at}`),
    points: [
      [x, 90],
      [x, 60],
    ],
  }));
  return gradientPlace({ edges: [...edges, { to: null, merged: [], points: [[104, 60]] }] }, box);
}

test("the size of the gradient is at the left end of the box if no edge ends there", () => {
  assert.equal(placeBeside(), 104);
  assert.equal(placeBeside([240, 1]), 104);
});

test("the size is moved to the right of an edge that would cross it, and of the edge's count", () => {
  assert.equal(placeBeside([110, 1]), 122);
  assert.equal(placeBeside([110, 3]), 144);
  assert.equal(placeBeside([180, 1], [110, 1]), 192);
  assert.equal(placeBeside([110, 1], [270, 1]), 122);
});

test("the size stays at the left if there is no room elsewhere", () => {
  assert.equal(placeBeside([110, 1], [170, 1], [230, 1]), 104);
});
