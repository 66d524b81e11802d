import assert from "node:assert/strict";
import { test } from "node:test";

import { indexOf } from "../../static/js/run/facts.js";
import { covered, element, nested, shapeOf } from "../../static/js/run/values/format.js";
import { axisOf } from "../../static/js/layout/cell-axes.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { ARRAYS, titleOf, WAS } from "../../static/js/layout/memory-widths.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { windowsOf } from "../../static/js/layout/window-cells.js";
import { monoWidth } from "../../static/js/run/values/text-width.js";
import { indexed, laidOut, NAMES, read } from "./fixtures.js";

const WIDTHS = [1440, 1024];

function overlapping(boxes) {
  const meets = (a, b) =>
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  return boxes.flatMap((a, at) =>
    boxes
      .slice(at + 1)
      .filter((b) => meets(a, b))
      .map((b) => [a.key, b.key]),
  );
}

for (const engine of ["layered", "linear"]) {
  test(`${engine}: boxes do not overlap, and all are within the picture`, () => {
    for (const name of NAMES) {
      for (const width of WIDTHS) {
        const layout = laidOut(indexed(name), engine, width);
        assert.deepEqual(overlapping(layout.boxes), [], name);
        for (const box of layout.boxes) {
          assert.ok(
            box.x >= 0 &&
              box.y >= 0 &&
              box.x + box.width <= layout.width &&
              box.y + box.height <= layout.height,
            `${name} ${box.key}`,
          );
        }
      }
    }
  });

  test(`${engine}: edges lead up, from the top of a box to the bottom of another`, () => {
    for (const name of NAMES) {
      const { boxes, edges } = laidOut(indexed(name), engine);
      const byKey = new Map(boxes.map((box) => [box.key, box]));
      for (const edge of edges) {
        const [[, from], [x, to]] = [edge.points[0], edge.points.at(-1)];
        assert.ok(from > to, `${name} ${edge.key} goes down`);
        assert.equal((edge.points.length - 1) % 3, 0);
        const target = byKey.get(edge.to);
        if (target)
          assert.ok(
            x >= target.x && x <= target.x + target.width && Math.abs(to - target.y - target.body) < 4,
            `${name} ${edge.key} misses`,
          );
      }
    }
  });

  test(`${engine}: the gradients on the edges of a Node do not cover each other`, () => {
    const size = { width: 90, height: 20 };
    for (const name of NAMES) {
      for (const width of WIDTHS) {
        const edges = laidOut(indexed(name), engine, width).edges.filter(({ to }) => to !== null);
        const chips = edges.map(({ key, from, chip: [x, y] }) => ({ key, from, x, y, ...size }));
        for (const { from } of edges)
          assert.deepEqual(overlapping(chips.filter((chip) => chip.from === from)), [], name);
      }
    }
  });

  test(`${engine}: the same input gives the same output`, () => {
    for (const name of NAMES)
      assert.deepEqual(laidOut(indexed(name), engine), laidOut(indexed(name), engine));
  });
}

function withUses(count) {
  const { trace } = read("data");
  const uses = Array.from({ length: count }, (_, number) => ({
    id: 4 + number,
    name: "AddBackward0",
    born: 66,
    made_by: 16,
    sequence_nr: 9 + number,
    edges: [{ node: 2, input_nr: 0 }, null],
    inputs: [],
  }));
  return indexOf({ trace: { ...trace, nodes: [...trace.nodes, ...uses] } });
}

test('a shape is printed as torch prints it, or as "?" if torch reports no shape', () => {
  const geometry = {
    dtype: "float32",
    device: "cpu",
    layout: "strided",
    shape: [3],
    stride: [1],
    storage_offset: 0,
    storage: 0,
    is_conj: false,
    is_neg: false,
  };
  assert.equal(shapeOf(geometry), "(3,)");
  assert.equal(shapeOf({ ...geometry, shape: [] }), "()");
  assert.equal(shapeOf({ ...geometry, layout: "nested", shape: [], stride: null }), "?");
});

test("an AccumulateGrad with few edges is one bucket with all its edges", () => {
  for (const engine of ["layered", "linear"]) {
    const { boxes, edges } = laidOut(withUses(3), engine);
    assert.deepEqual(
      boxes.filter((box) => box.node === 2).map((box) => box.key),
      ["2"],
    );
    assert.deepEqual(
      edges
        .filter((edge) => edge.to === "2")
        .map((edge) => edge.key)
        .sort(),
      ["3.1", "4.0", "5.0", "6.0"],
    );
  }
});

test("an AccumulateGrad with many edges is drawn once per edge", () => {
  const { boxes } = laidOut(withUses(4), "layered");
  assert.deepEqual(
    boxes
      .filter((box) => box.node === 2)
      .map((box) => box.key)
      .sort(),
    ["2@3.1", "2@4.0", "2@5.0", "2@6.0", "2@7.0"],
  );
});

test("a chain of 20,000 Nodes is laid out without recursion", () => {
  const { trace } = read("data");
  const nodes = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    name: "MulBackward0",
    born: 1,
    made_by: null,
    sequence_nr: id,
    edges: id === 0 ? [] : [{ node: id - 1, input_nr: 0 }],
    inputs: [],
  }));
  const bare = { source: "", header: trace.header, nodes, ended: { kind: "finished" } };
  assert.equal(laidOut(indexOf({ trace: bare }), "linear").boxes.length, 20_000);
});

test("memory: existing rows do not overlap, and are within the picture", () => {
  for (const name of NAMES) {
    for (const width of WIDTHS) {
      const { rows, height, width: right } = memoryLayout(indexed(name), measuresFor(width));
      const meet = (a, b) =>
        a.y < b.y + b.height && b.y < a.y + a.height && a.from < b.until && b.from < a.until;
      for (const [at, a] of rows.entries()) {
        for (const b of rows.slice(at + 1)) assert.ok(!meet(a, b), `${name}: ${a.key} and ${b.key}`);
        assert.ok(a.y + a.height <= height && a.x + a.width <= right);
        for (const slot of a.slots)
          assert.ok(
            slot.y >= a.y && slot.y + slot.height <= a.y + a.height,
            `${name}: a card of ${a.key} leaves its row`,
          );
      }
    }
  }
});

test("memory: if a storage has few cells, their old values have room next to them, at any width", () => {
  const index = indexed("data");
  const wide = [-123456.789e20, -98765.4321e-9];
  const facts = [
    [5, { kind: "cells", dtype: "float32", values: wide }],
    [9, { kind: "cells", dtype: "float32", values: [1, 2] }],
  ];
  const storages = index.storages.map((storage) =>
    storage.id === 0 ? { ...storage, contents: facts } : storage,
  );
  for (const width of WIDTHS) {
    const layout = memoryLayout({ ...index, storages }, measuresFor(width));
    const { strip } = layout.rows.find((row) => row.storage === 0);
    const text = wide.map((value) => element(value, "float32")).join(" ");
    assert.ok(
      text.length > WAS.most && strip.x + titleOf(0) + WAS.word + monoWidth(text, WAS.title) < layout.width,
      `${width}: ${text}`,
    );
  }
});

test("memory: the names of NumPy arrays over a storage have room in its title", () => {
  const { trace, ...rest } = read("data");
  const { address, nbytes } = trace.storages[3];
  const array = { kind: "array", type: "ndarray", text: "float32 (1,)", address, span: nbytes[0][1] };
  const layoutOf = (changed) => memoryLayout(indexOf({ ...rest, trace: changed }), measuresFor(1440));
  const bare = layoutOf(trace);
  const named = layoutOf({
    ...trace,
    variables: [{ id: 0, name: "measurements", frame: 0, value: [[1, array]] }],
  });
  const { strip } = named.rows.find((row) => row.storage === 3);
  assert.ok(named.width > bare.width);
  assert.ok(
    strip.x +
      titleOf(3) +
      monoWidth("bytes of S10", WAS.title) +
      ARRAYS.gap +
      monoWidth("NumPy measureme…", WAS.title) +
      ARRAYS.inset <
      named.width,
  );
});

test("memory: a storage has one row for the whole trace, with all tensors that share the storage", () => {
  for (const name of NAMES) {
    const { rows } = memoryLayout(indexed(name), measuresFor(1440));
    assert.equal(new Set(rows.map((row) => row.key)).size, rows.length);
  }
  const shared = memoryLayout(indexed("data"), measuresFor(1440)).rows.find((row) => row.storage === 3);
  assert.deepEqual(
    shared.slots.map((slot) => slot.tensor),
    [3, 4],
  );
});

test("memory: in a loop the storages of a name reuse its row", () => {
  const { rows } = memoryLayout(indexed("loop"), measuresFor(1440));
  assert.ok(
    new Set(rows.map((row) => row.y)).size <= rows.length / 2,
    "three iterations take far fewer rows than storages",
  );
});

test("memory: only storages of named tensors, saved tensors and gradients have a row", () => {
  assert.deepEqual(
    memoryLayout(indexed("data"), measuresFor(1440))
      .rows.map((row) => row.storage)
      .sort((a, b) => a - b),
    [0, 1, 2, 3, 4, 8, 9],
  );
});

test("a window covers the cells of a contiguous or strided tensor", () => {
  const geometry = {
    dtype: "float32",
    device: "cpu",
    layout: "strided",
    shape: [2, 2],
    stride: [3, 1],
    storage_offset: 1,
    storage: 0,
  };
  assert.deepEqual(covered(geometry), [1, 2, 4, 5]);
  const axisFor = (inner) => axisOf({ inner, blocks: 1, size: 40, lead: 0, most: Infinity });
  const strip = {
    x: 0,
    y: 0,
    width: 120,
    height: 80,
    head: 0,
    size: 18,
    columns: 3,
    lines: 2,
    beside: 1,
    across: axisFor(3),
    down: axisFor(2),
    labels: [],
    count: 6,
    mode: "cells",
  };
  assert.deepEqual(windowsOf(strip, geometry, "float32"), [{ x: 40, y: 0, width: 80, height: 80 }]);
  assert.deepEqual(windowsOf(strip, { ...geometry, shape: [2], stride: [0], storage_offset: 3 }, "float32"), [
    { x: 0, y: 40, width: 40, height: 40 },
  ]);
  assert.deepEqual(
    windowsOf(
      strip,
      { ...geometry, dtype: "float64", shape: [1], stride: [1], storage_offset: 2 },
      "float32",
    ),
    [{ x: 40, y: 40, width: 80, height: 40 }],
  );
});

test("values are printed as torch prints them", () => {
  const shown = (value, dtype = "float32") => element(value, dtype);
  assert.deepEqual(
    [
      shown(1),
      shown(-0),
      shown(0.5),
      shown("nan"),
      shown(1e-8),
      shown(3, "int64"),
      shown(true, "bool"),
      shown([1, -2], "complex64"),
    ],
    ["1.", "-0.", "0.5", "nan", "1.00e-8", "3", "True", "1.-2.j"],
  );
  assert.equal(
    nested({ kind: "cells", dtype: "float32", values: [1, 2, 3, 4] }, [2, 2], 24),
    "[[1., 2.], [3., 4.]]",
  );
  assert.equal(nested({ kind: "cells", dtype: "float32", values: [7] }, []), "7.");
  assert.equal(nested({ kind: "cells", dtype: "float32", values: [1, 2, 3, 4] }, [2, 2], 10), "(2, 2)");
});

test("a hidden tensor has no row, and a pinned tensor comes first", () => {
  const index = indexed("data");
  const measures = measuresFor(1440);
  const storages = (pins) => memoryLayout(index, measures, pins).rows.map((row) => row.storage);
  const all = storages({ hidden: [], pinned: [] });
  const [x, d, d_] = ["x", "d", "d_"].map(
    (name) => index.names.find((label) => label.path === name).tensor[0][1],
  );
  const of = (tensor) => index.tensors[tensor].geometry[0][1].storage;
  assert.equal(of(d), of(d_));
  assert.deepEqual(
    storages({ hidden: ["x"], pinned: [] }),
    all.filter((id) => id !== of(x)),
  );
  assert.deepEqual(storages({ hidden: ["d"], pinned: [] }), all, "d_ looks at the same storage");
  const row = (pins) =>
    memoryLayout(index, measures, pins).rows.find((candidate) => candidate.storage === of(d));
  assert.deepEqual(
    row({ hidden: ["d"], pinned: [] }).slots.map((slot) => slot.tensor),
    [d_],
  );
  assert.deepEqual(
    storages({ hidden: ["d", "d_"], pinned: [] }),
    all.filter((id) => id !== of(d)),
  );
  assert.deepEqual(
    storages({ hidden: [], pinned: ["f", "d_", "nobody"] }),
    [index.names.find((label) => label.path === "f").tensor[0][1], d]
      .map(of)
      .concat(
        all.filter(
          (id) => ![of(d), of(index.names.find((label) => label.path === "f").tensor[0][1])].includes(id),
        ),
      ),
  );
  const { rows, height } = memoryLayout(index, measures, { hidden: ["x"], pinned: ["f"] });
  for (const [at, placed] of rows.entries())
    assert.ok(
      placed.y >= (rows[at - 1] === undefined ? 0 : rows[at - 1].y + rows[at - 1].height) &&
        placed.y + placed.height <= height,
    );
});
