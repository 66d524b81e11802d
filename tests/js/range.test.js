import assert from "node:assert/strict";
import { test } from "node:test";

import { between, isWhole, movedBy, whole, withStop, zoomedBy } from "../../static/js/run/stops/range.js";

const COUNT = 20000;

test("zooming in and out keeps the position of a stop", () => {
  let range = whole(COUNT);
  assert.ok(isWhole(range, COUNT));
  const share = ({ from, to }, k) => (k - from) / (to - from);
  for (let press = 0; press < 30; press += 1) {
    const next = zoomedBy(range, 1, 5000, COUNT);
    assert.ok(next.to - next.from <= range.to - range.from && next.to - next.from >= 12);
    if (next.to - next.from > 200) assert.ok(Math.abs(share(next, 5000) - share(range, 5000)) < 0.02);
    range = next;
  }
  assert.deepEqual([range.to - range.from, range.from <= 5000 && range.to >= 5000], [12, true]);
  for (let press = 0; press < 30; press += 1) range = zoomedBy(range, -1, 5000, COUNT);
  assert.ok(isWhole(range, COUNT));
});

test("panning stops at both ends and keeps the size of the range", () => {
  const range = between(700, 100, COUNT);
  assert.deepEqual(range, { from: 100, to: 700 });
  assert.deepEqual(movedBy(range, 50, COUNT), { from: 150, to: 750 });
  assert.deepEqual(movedBy(range, -500, COUNT), { from: 0, to: 600 });
  assert.deepEqual(movedBy(range, 1e6, COUNT), { from: COUNT - 601, to: COUNT - 1 });
});

test("a step outside the range moves the range", () => {
  const range = { from: 100, to: 180 };
  assert.equal(withStop(range, 180, COUNT), range);
  for (const k of [0, 5, 99, 181, 1000, COUNT - 1]) {
    const next = withStop(range, k, COUNT);
    assert.ok(next.from <= k && k <= next.to && next.to - next.from === 80, String(k));
  }
  assert.deepEqual(withStop(range, 181, COUNT), { from: 171, to: 251 });
});

test("a short run is shown whole", () => {
  for (const count of [0, 1, 5, 13]) {
    const range = whole(count);
    for (const next of [zoomedBy(range, 1, 2, count), movedBy(range, 3, count), between(1, 2, count)])
      assert.deepEqual(next, range, String(count));
  }
});
