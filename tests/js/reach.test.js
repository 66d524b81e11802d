/**
 * Tests of cells at the end of a storage that no tensor of the run uses: one box stands for them, with their
 * count.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { measuresFor } from "../../static/js/layout/measures.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { signsOf } from "../../static/js/layout/signs.js";
import { indexOf } from "../../static/js/run/facts.js";
import { reachOf, unreadOf } from "../../static/js/run/questions/reach.js";
import { read } from "./fixtures.js";

/**
 * A run with a storage that has 30 more cells than its tensors use. torch's `mse_loss` allocates such
 * storages.
 */
function longer(change = (trace) => trace) {
  const { trace, ...rest } = read("data");
  const storages = trace.storages.map((storage) =>
    storage.id === 3
      ? {
          ...storage,
          nbytes: storage.nbytes.map(([tick, bytes]) => [tick, bytes + 120]),
          contents: storage.contents.map(([tick, contents]) => [
            tick,
            { ...contents, values: [...contents.values, ...Array(30).fill(1.1388898e-38)] },
          ]),
        }
      : storage,
  );
  return indexOf({ ...rest, trace: change({ ...trace, storages }) });
}

const rowIn = (index) => memoryLayout(index, measuresFor(1440)).rows.find((row) => row.storage === 3);

test("cells that no tensor uses are one short box after the other cells, with their count", () => {
  const [whole, more] = [rowIn(indexOf(read("data"))).strip, rowIn(longer()).strip];
  assert.equal(whole.unread, null);
  assert.equal(more.unread.count, 30);
  assert.equal(more.count, whole.count);
  assert.equal(more.width, whole.width, "values that nobody reads widen no cell");
  assert.ok(more.unread.x > more.width && more.unread.width < 60);
  const { width } = memoryLayout(longer(), measuresFor(1440));
  assert.ok(more.x + more.unread.x + more.unread.width < width, "it lies within the picture");
});

test("a sentence gives the number of unused bytes, and the legend explains their box", () => {
  const [plain, index] = [indexOf(read("data")), longer()];
  const said = (of, storage) => unreadOf(of, storage, Infinity).map(({ id, args }) => [id, args]);
  assert.deepEqual(said(index, 3), [["storage-unread", { storage: "S3", count: 120 }]]);
  for (const { id } of plain.storages) assert.deepEqual(said(plain, id), []);
  const signs = (of) => signsOf(of, { boxes: [] }, memoryLayout(of, measuresFor(1440)));
  assert.ok(signs(index).has("unread"));
  assert.ok(!signs(plain).has("unread"));
});

test("bytes do not count as unused if an array may use them, or if strides are not known", () => {
  const withArray = longer((trace) => {
    const { address } = trace.storages[3];
    const array = { kind: "array", type: "ndarray", text: "float32 (31,)", address, span: 124 };
    return { ...trace, variables: [{ id: 0, name: "a", frame: 0, value: [[1, array]] }] };
  });
  const strideless = longer((trace) => ({
    ...trace,
    tensors: trace.tensors.map((tensor) => ({
      ...tensor,
      geometry: tensor.geometry?.map(([tick, geometry]) => [
        tick,
        geometry?.storage === 3 ? { ...geometry, stride: null } : geometry,
      ]),
    })),
  }));
  for (const index of [withArray, strideless]) {
    assert.equal(reachOf(index, 3), Infinity);
    assert.equal(rowIn(index).strip.unread, null);
  }
});
