import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { slotsAt } from "../../static/js/layout/memory-rows.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { retainersOfStorage, retainersOfTensor } from "../../static/js/run/retainers.js";
import { indexOf } from "../../static/js/run/facts.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { counterStrings, viewLinks } from "../../static/js/stage/tensor-lines.js";
import { windowShapes } from "../../static/js/stage/windows.js";
import { indexed, NAMES } from "./fixtures.js";

const measures = measuresFor(1440);

/** Yields the rows of the memory picture that have tensors, at every stop of a run. */
function* rows(name) {
  const index = indexed(name);
  const layout = memoryLayout(index, measures);
  for (const k of index.stops.keys()) {
    const state = stateAt(index, k);
    for (const row of layout.rows) {
      if (row.from > state.tick || state.tick >= row.until || row.storage === null) continue;
      const slots = slotsAt(row, state);
      if (slots.length > 0)
        yield { index, state, row, slots, where: `${name}, step ${k + 1}, S${row.storage}` };
    }
  }
}

test("version pills are joined if and only if their tensors share a counter, and a view leads to its base", () => {
  for (const name of NAMES) {
    for (const { state, slots, where } of rows(name)) {
      const tensors = slots.map((slot) => state.tensors.get(slot.tensor));
      const strings = counterStrings(state, slots, measures).map((shape) =>
        shape.attributes["data-counter"].split(" ").map(Number),
      );
      const together = new Map(tensors.map(({ id }) => [id, new Set([id])]));
      for (const [a, b] of strings) {
        const joined = new Set([...together.get(a), ...together.get(b)]);
        for (const id of joined) together.set(id, joined);
      }
      for (const a of tensors)
        for (const b of tensors)
          assert.equal(
            together.get(a.id).has(b.id),
            a.id === b.id || (a.counter !== null && a.counter === b.counter),
            where,
          );
      const links = viewLinks(state, slots, measures).map((shape) => shape.attributes["data-view"]);
      const views = tensors
        .filter(({ base }) => tensors.some((other) => other.id === base))
        .map(({ id, base }) => `${id} ${base}`);
      assert.deepEqual(links, views, where);
    }
  }
});

test("a line joins the version counters of two tensors after `.detach()`, but not after `.data`", () => {
  const strings = (name) =>
    [...rows(name)]
      .filter(({ state, slots }) => state.k === 7 && slots.length === 2)
      .map(({ state, slots }) => counterStrings(state, slots, measures).length);
  assert.deepEqual([strings("data"), strings("detach")], [[0], [1]]);
});

test("with more than two tensors or a large storage, tensors after the first are lines under the cells", () => {
  for (const name of NAMES) {
    for (const { index, state, row, slots, where } of rows(name)) {
      const shapes = windowShapes({ index, state }, row, slots);
      assert.equal(shapes.length, slots.length, where);
      const isRuled = row.slots.some((slot) => slot.ruler !== null);
      assert.equal(
        isRuled,
        row.slots.some((slot) => slot.depth > (row.strip.mode === "summary" ? 0 : 1)),
        where,
      );
      for (const slot of row.slots.filter((candidate) => candidate.ruler !== null)) {
        assert.ok(slot.ruler.y >= row.strip.y + row.strip.height, `${where}: under the cells`);
        assert.ok(
          slot.ruler.y >= slot.y && slot.ruler.y + slot.ruler.height <= slot.y + slot.height,
          `${where}: beside its card`,
        );
        assert.ok(slot.y + slot.height <= row.y + row.height, `${where}: within its row`);
      }
    }
  }
});

const document = (trace) => ({
  trace: {
    source: "",
    header: {},
    ended: { kind: "finished" },
    steps: [
      {
        id: 0,
        kind: "statement",
        began: 0,
        ended: 9,
        span: { line: 1, end_line: 1, column: 0, end_column: 1 },
      },
    ],
    ...trace,
  },
});

test("an unnamed tensor is kept alive by a view, a Node that saved it, the graph, or an unknown object", () => {
  const geometry = [
    [
      1,
      {
        dtype: "float32",
        device: "cpu",
        layout: "strided",
        shape: [1],
        stride: [1],
        storage_offset: 0,
        storage: 0,
      },
    ],
  ];
  const tensor = (id, more = {}) => ({ id, born: 1, type: "Tensor", geometry, ...more });
  const index = indexOf(
    document({
      tensors: [
        tensor(0),
        tensor(1, { base: [[1, 0]] }),
        tensor(2),
        tensor(3),
        tensor(4, { grad: [[2, 2]] }),
      ],
      storages: [{ id: 0, born: 1, device: "cpu", address: "0x10", nbytes: [[1, 4]] }],
      names: [{ id: 0, path: "v", frame: 0, tensor: [[1, 1]] }],
      frames: [{ id: 0, function: "<module>", began: 0, line: 1 }],
      nodes: [
        { id: 0, name: "MulBackward0", born: 1, made_by: 0, sequence_nr: 0, edges: [], inputs: [] },
        {
          id: 1,
          name: "torch::autograd::AccumulateGrad",
          born: 1,
          made_by: 0,
          sequence_nr: null,
          edges: [],
          inputs: [],
          variable: 3,
        },
      ],
      saved_tensors: [
        {
          id: 0,
          node: 0,
          name: "self",
          tick: 2,
          tensor: 0,
          geometry: geometry[0][1],
          version_counter: null,
          version: 0,
        },
      ],
    }),
  );
  const state = stateAt(index, 0);
  const ids = (id) => retainersOfTensor(index, state, id).map((retainer) => retainer.id);
  assert.deepEqual([0, 2, 3, 4].map(ids), [
    ["keeper-view", "keeper-saved"],
    ["keeper-grad"],
    ["keeper-leaf"],
    [],
  ]);
  assert.deepEqual(
    retainersOfStorage(index, state, 0).map(({ args }) => args),
    [{ node: "MulBackward0", slot: "self" }],
  );
  for (const language of ["en", "zh-CN"]) {
    const words = readFileSync(
      new URL(`../../app/words/${language}/run/pictures.ftl`, import.meta.url),
      "utf8",
    );
    for (const kind of ["view", "saved", "grad", "leaf"])
      assert.match(
        words,
        new RegExp(`^keeper-${kind}-short =`, "m"),
        `${kind} has its short words in ${language}`,
      );
  }
});
