/**
 * Tests whether a write reaches a tensor: only if the write and the elements of the tensor have a common
 * byte.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { reaches } from "../../static/js/run/questions/reaching.js";

const SIZE = 4;

function geometry(shape, stride, storage_offset = 0) {
  return { dtype: "float32", device: "cpu", layout: "strided", shape, stride, storage_offset, storage: 0 };
}

function placesOf({ shape, stride, storage_offset }) {
  return shape.reduce(
    (places, count, dimension) =>
      places.flatMap((place) =>
        Array.from({ length: count }, (_, index) => place + index * stride[dimension]),
      ),
    [storage_offset],
  );
}

function reached(through, looks) {
  const places = placesOf({ ...through, shape: through.shape.map((count) => Math.min(count, 2)) });
  const last = through.shape.reduce(
    (sum, count, dimension) => sum + (count - 1) * through.stride[dimension],
    through.storage_offset,
  );
  const write = { storage: 0, tick: 1, tensor: 0, begin: places[0] * SIZE, end: (last + 1) * SIZE };
  return reaches({ tensors: [{ geometry: [[0, through]] }] }, write, looks);
}

/** Random numbers with the same sequence in every run (Park and Miller). */
function* numbers() {
  for (let seed = 7; ; ) {
    seed = (seed * 48271) % 2147483647;
    yield seed;
  }
}

test("a write may change a tensor if and only if both have a common byte", () => {
  const drawn = numbers();
  const below = (most) => drawn.next().value % most;
  let met = 0;
  for (let round = 0; round < 3000; round++) {
    const some = () => {
      const dimensions = Array.from({ length: below(4) }, () => [1 + below(4), below(7)]);
      return geometry(
        dimensions.map(([count]) => count),
        dimensions.map(([, step]) => step),
        below(9),
      );
    };
    const [through, looks] = [some(), some()];
    const [these, those] = [new Set(placesOf(through)), placesOf(looks)];
    const is_met = those.some((place) => these.has(place));
    met += Number(is_met);
    assert.equal(reached(through, looks), is_met, JSON.stringify([through, looks]));
  }
  assert.ok(met > 500 && met < 2500);
});

test("two tensors with a million rows each are compared quickly", () => {
  const rows = 10 ** 6;
  assert.equal(reached(geometry([rows, 8], [32, 1]), geometry([rows, 24], [32, 1], 8)), false);
  assert.equal(reached(geometry([rows, 8], [32, 1]), geometry([rows, 25], [32, 1], 7)), true);
});
