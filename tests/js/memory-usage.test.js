import assert from "node:assert/strict";
import { test } from "node:test";

import { at } from "../../static/js/run/facts.js";
import { curveOf, memoryUsageOf, peakOf } from "../../static/js/run/memory-usage.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { indexed, NAMES } from "./fixtures.js";

const INDEXES = NAMES.flatMap((name) =>
  GRANULARITIES.map((granularity) => withGranularity(indexed(name), granularity)),
);

test("memory usage at a stop is the sum of the bytes of all live storages", () => {
  for (const index of INDEXES) {
    const { bytes, count } = memoryUsageOf(index);
    for (const [k, { tick }] of index.stops.entries()) {
      const present = index.storages.filter(({ born, freed }) => born <= tick && !(freed <= tick));
      assert.deepEqual(
        [bytes[k], count[k]],
        [present.reduce((sum, { nbytes }) => sum + (at(nbytes, tick) ?? 0), 0), present.length],
      );
    }
  }
});

test("the peak is the maximum so far, at the first stop that reaches it", () => {
  for (const index of INDEXES) {
    const { bytes } = memoryUsageOf(index);
    for (const lastVisible of [...bytes.keys(), Infinity]) {
      const visible = bytes.slice(0, lastVisible === Infinity ? undefined : lastVisible + 1);
      assert.deepEqual(peakOf(index, lastVisible), {
        k: visible.indexOf(Math.max(...visible)),
        most: Math.max(...visible),
      });
    }
  }
});

test("memory usage follows a storage that grows, shrinks and is freed", () => {
  const run = {
    ...indexed("data"),
    storages: [
      {
        id: 0,
        born: 1,
        freed: 7,
        nbytes: [
          [1, 8],
          [3, 32],
          [5, 4],
          [9, 64],
        ],
      },
    ],
    stops: [0, 2, 4, 6, 8, 10].map((tick) => ({ tick })),
  };
  assert.deepEqual(memoryUsageOf(run), {
    bytes: [0, 8, 32, 4, 0, 0],
    count: [0, 1, 1, 1, 0, 0],
    peak: [0, 1, 2, 2, 2, 2],
  });
});

test("the curve keeps every peak and drop even if a pixel has many stops", () => {
  const bytes = Array.from({ length: 5000 }, (_, k) => (k === 1234 ? 900 : k === 4321 ? 0 : 100));
  const corners = curveOf({ bytes, count: [], peak: [] }, { from: 0, to: 4999 }, (k) => k / 10, Infinity);
  assert.ok(corners.length <= 4 * 501);
  assert.deepEqual(
    corners.filter(([, value]) => value === 900).map(([x]) => Math.round(x)),
    [123],
  );
  assert.deepEqual(
    corners.filter(([, value]) => value === 0).map(([x]) => Math.round(x)),
    [432],
  );
  assert.equal(
    curveOf({ bytes, count: [], peak: [] }, { from: 0, to: 4999 }, (k) => k / 10, 1000).at(-1)[0] <= 100,
    true,
  );
});

test("the curve extends the value of a stop halfway to the neighbouring stops", () => {
  assert.deepEqual(
    curveOf({ bytes: [4, 8, 2], count: [], peak: [] }, { from: 0, to: 2 }, (k) => 10 + 20 * k, Infinity),
    [
      [10, 4],
      [20, 4],
      [20, 8],
      [40, 8],
      [40, 2],
      [50, 2],
    ],
  );
});
