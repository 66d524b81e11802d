import assert from "node:assert/strict";
import { test } from "node:test";

import { boxOfCell } from "../../static/js/layout/cell-axes.js";
import { CELL, stripOf } from "../../static/js/layout/memory-strip.js";
import { windowsOf } from "../../static/js/layout/window-cells.js";
import { indexOf } from "../../static/js/run/facts.js";
import { wayBetween } from "../../static/js/stage/stale-lines.js";

const ROOM = { across: 244, most: CELL.matrix };

/** A geometry record of a tensor (shape, stride, offset), which is contiguous by default. */
function geometryOf(shape, stride, storage_offset = 0) {
  const plain = shape.map((_, at) => shape.slice(at + 1).reduce((product, size) => product * size, 1));
  return {
    dtype: "float32",
    device: "cpu",
    layout: "strided",
    shape,
    stride: stride ?? plain,
    storage_offset,
    storage: 0,
  };
}

/** The layout of a storage's cells, if tensors with the given geometries use the storage. */
function stripWith(count, ...geometries) {
  const values = Array.from({ length: count }, (_, at) => at);
  const index = indexOf({
    trace: {
      source: "",
      header: {},
      ended: { kind: "finished" },
      tensors: geometries.map((geometry, id) => ({ id, born: 1, type: "Tensor", geometry: [[1, geometry]] })),
      storages: [
        {
          id: 0,
          born: 1,
          device: "cpu",
          address: "0x10",
          nbytes: [[1, 4 * count]],
          contents: [[1, { kind: "cells", dtype: "float32", values }]],
        },
      ],
    },
  });
  return stripOf(index, 0, 0, ROOM);
}

const shownIn = (strip) =>
  Array.from({ length: strip.count }, (_, cell) => cell).filter((cell) => !boxOfCell(strip, cell).isHidden);

test("cells are arranged as matrices with the shape of the views, even of transposed or sliced ones", () => {
  const [whole, turned, cut] = [
    geometryOf([3, 4]),
    geometryOf([4, 3], [1, 4]),
    geometryOf([3, 2], [4, 1], 1),
  ];
  for (const view of [whole, turned, cut]) {
    const strip = stripWith(12, geometryOf([12]), view);
    assert.deepEqual([strip.columns, strip.lines, shownIn(strip).length], [4, 3, 12]);
  }
  assert.deepEqual(stripWith(12, geometryOf([1, 12])).lines, 1);
  assert.deepEqual(stripWith(6, geometryOf([4, 3], [1, 1])).lines, 1, "windows that overlap are no matrix");
});

test("a storage of one dimension is one row with its first and last cells, and one gap for the omitted ones", () => {
  for (const count of [1, 2, 5, 9, 10, 40, 256]) {
    const strip = stripWith(count, geometryOf([count]));
    const shown = shownIn(strip);
    assert.equal(strip.lines, 1);
    assert.ok(strip.width <= CELL.matrix + 46, `${count} cells are ${strip.width} px wide`);
    assert.ok(shown.includes(0) && shown.includes(count - 1));
    assert.notEqual(count - shown.length, 1, "no place stands for a single cell");
    assert.deepEqual(windowsOf(strip, geometryOf([count]), "float32"), [
      { x: 0, y: 0, width: strip.width, height: strip.height },
    ]);
  }
});

test("a tensor with four dimensions is drawn as matrices with their indices, and no matrix is cut", () => {
  const kernels = stripWith(36, geometryOf([4, 1, 3, 3]));
  assert.deepEqual([kernels.columns, kernels.lines], [3, 3]);
  assert.deepEqual(
    kernels.labels.map(({ text }) => text),
    ["[0, 0]", "[1, 0]", "[2, 0]", "[3, 0]"].filter((_, at) => !boxOfCell(kernels, 9 * at).isHidden),
  );
  assert.ok(kernels.labels.length >= 2 && kernels.labels.at(-1).text === "[3, 0]");
  assert.equal(shownIn(kernels).length, 9 * kernels.labels.length);
  const image = stripWith(256, geometryOf([2, 2, 8, 8]));
  const shown = shownIn(image);
  assert.deepEqual([image.columns, image.lines], [8, 8]);
  assert.ok(shown.includes(0) && shown.includes(255));
  assert.ok(image.labels.length >= 2 && image.height < 400 && image.width < 700);
  const stacked = stripWith(24, geometryOf([2, 3, 4]));
  assert.deepEqual(
    stacked.labels.map(({ text }) => text),
    ["[0]", "[1]"],
  );
});

test("shown cells do not overlap, and are within their strip", () => {
  for (const shape of [[7], [300], [3, 4], [40, 6], [6, 40], [2, 3, 4], [5, 2, 3, 3], [2, 2, 2, 2, 4]]) {
    const count = shape.reduce((product, size) => product * size, 1);
    const strip = stripWith(count, geometryOf(shape));
    const boxes = new Map();
    for (let cell = 0; cell < count; cell += 1) {
      const box = boxOfCell(strip, cell);
      assert.ok(box.x >= 0 && box.y >= 0 && box.width > 0, `${shape}: cell ${cell}`);
      assert.ok(box.x + box.width <= strip.width && box.y + box.height <= strip.height, `${shape}: ${cell}`);
      const key = `${box.x} ${box.y}`;
      assert.ok(box.isHidden || !boxes.has(key), `${shape}: cell ${cell} lies on another`);
      boxes.set(key, box);
    }
    const all = [...boxes.values()];
    for (const [at, a] of all.entries())
      for (const b of all.slice(at + 1))
        assert.ok(
          a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y,
          `${shape}`,
        );
  }
});

test("the line from a stale saved tensor avoids boxes and names, at the nearest height", () => {
  const box = (left, top, width = 100, height = 40) => ({
    left,
    right: left + width,
    top,
    bottom: top + height,
  });
  const line = { from: 100, to: 500, start: 60 };
  assert.equal(wayBetween([], line), 60);
  assert.equal(wayBetween([box(200, 200)], line), 60);
  assert.equal(wayBetween([box(200, 30)], line), 76);
  const wall = [box(200, 30), box(320, 60), box(90, 84, 60)];
  const y = wayBetween(wall, line);
  assert.ok(y <= 24, `${y}: upwards, since a box is below where it leaves`);
});
