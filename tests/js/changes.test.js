import assert from "node:assert/strict";
import { test } from "node:test";

import "./no-browser.js";
import { changeFrom, changesOf } from "../../static/js/run/changes.js";
import {
  changes,
  select,
  selectBeside,
  selected,
  toChange,
  toSaving,
} from "../../static/js/state/selection.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { labelled } from "../../static/js/layout/memory-navigation.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { goTo, step, chooseGranularity } from "../../static/js/state/store.js";
import { showRun } from "./replays.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { indexed, NAMES } from "./fixtures.js";

const named = (index, path) =>
  changesOf(index, { kind: "name", id: index.names.find((name) => name.path === path).id });
const written = (list) => list.map(({ k, what }) => `${k + 1} ${what.join("+")}`);

function show(name) {
  const index = indexed(name);
  showRun(index, memoryLayout(index, measuresFor(1440)));
  goTo(0);
}

test("a name changes when it is bound, and when its tensor is written, gets another version or gets a gradient", () => {
  const index = indexed("data");
  assert.deepEqual(
    ["d", "d_", "w2", "x"].map((path) => written(named(index, path))),
    [["5 bound", "8 written"], ["6 bound", "8 written+version"], ["4 bound", "10 grad"], ["2 bound"]],
  );
});

test("a storage changes when it is created, written or freed, and a gradient when it is set or removed", () => {
  const index = indexed("loop");
  assert.deepEqual(written(changesOf(index, { kind: "storage", id: 0 })), [
    "3 made+written",
    "24 written",
    "43 written",
    "62 written",
  ]);
  assert.deepEqual(written(changesOf(index, { kind: "grad", id: 2 })), [
    "17 bound",
    "29 unbound",
    "36 bound",
    "48 unbound",
    "55 bound",
  ]);
  assert.deepEqual(written(changesOf(indexed("data"), { kind: "storage", id: 6 })), ["9 made", "13 freed"]);
});

test("a write to other elements of the storage does not change a view", () => {
  const index = indexed("views");
  const write = index.storages[1].contents.at(-1)[1].values;
  assert.notEqual(write[0], write[3], "the snippet writes the first half alone");
  const tail = {
    ...index.tensors[2],
    id: index.tensors.length,
    geometry: index.tensors[2].geometry.map(([tick, geometry]) => [tick, { ...geometry, storage_offset: 2 }]),
  };
  const more = { ...index, tensors: [...index.tensors, tail] };
  const when = (id) =>
    changesOf(more, { kind: "tensor", id })
      .filter(({ what }) => what.includes("written"))
      .map(({ k }) => k + 1);
  assert.deepEqual([when(2), when(tail.id)], [[5, 6], [5]]);
});

test("a tensor or storage has the same state before and after a stop at which it does not change", () => {
  for (const name of NAMES) {
    for (const granularity of GRANULARITIES) {
      const index = withGranularity(indexed(name), granularity);
      const states = index.stops.map((_, k) => stateAt(index, k));
      for (const { id } of index.tensors) {
        const at = new Set(changesOf(index, { kind: "tensor", id }).map(({ k }) => k));
        const look = (tensor) => tensor && [tensor.geometry, tensor.version, tensor.grad, tensor.node];
        for (let k = 1; k < states.length; k += 1)
          if (!at.has(k))
            assert.deepEqual(
              look(states[k].tensors.get(id)),
              look(states[k - 1].tensors.get(id)),
              `${name} by ${granularity}: tensor ${id} at step ${k + 1}`,
            );
      }
      for (const { id } of index.storages) {
        const at = new Set(changesOf(index, { kind: "storage", id }).map(({ k }) => k));
        const look = (storage) => storage && [storage.nbytes, storage.contents, storage.freed];
        // the first stop with recorded contents; earlier contents are unknown, so a change cannot be seen
        const first = states.findIndex((state) => state.storages.get(id)?.contents);
        for (let k = 1; k < states.length; k += 1)
          if (!at.has(k) && k !== first)
            assert.deepEqual(
              look(states[k].storages.get(id)),
              look(states[k - 1].storages.get(id)),
              `${name} by ${granularity}: storage ${id} at step ${k + 1}`,
            );
      }
    }
  }
});

test("the page goes to the next and previous change of the selected item, at any granularity", () => {
  show("data");
  select({ kind: "name", id: 3 });
  const visited = [];
  for (const direction of [1, 1, 1, -1, -1]) {
    toChange(direction);
    visited.push(step.peek() + 1);
  }
  assert.deepEqual(visited, [5, 8, 8, 5, 5]);
  chooseGranularity("operator");
  assert.deepEqual(
    [selected.value, written(changes.value)],
    [{ kind: "name", id: 3 }, ["9 bound", "15 written"]],
  );
  chooseGranularity("node");
  assert.equal(changeFrom(changes.value, 7, 1), undefined);
});

test("a new run clears the selection, and stepping without a selection selects the written storage", () => {
  show("data");
  select({ kind: "storage", id: 0 });
  show("views");
  assert.equal(selected.value, null);
  goTo(4);
  toChange(1);
  assert.deepEqual([selected.value, step.peek() + 1], [{ kind: "storage", id: 1 }, 6]);
});

const pressed = (keys) =>
  [...keys].map((key) => {
    selectBeside(...{ l: [-1, 0], r: [1, 0], u: [0, -1], d: [0, 1] }[key]);
    const { kind, id, cell } = selected.value;
    return `${kind} ${id}${cell === undefined ? "" : `[${cell}]`}`;
  });

test("arrow keys move the selection between name, tensor, storage and cells, and between rows", () => {
  show("data");
  goTo(7);
  select(null);
  assert.deepEqual(pressed("drrrrrllldlu"), [
    "name 0",
    "tensor 0",
    "storage 0",
    "cell 0[0]",
    "cell 0[1]",
    "cell 0[1]",
    "cell 0[0]",
    "storage 0",
    "tensor 0",
    "tensor 1",
    "name 1",
    "name 0",
  ]);
  select({ kind: "cell", id: 0, cell: 1 });
  assert.deepEqual(
    pressed("ddddduu"),
    ["cell 1[1]", "cell 2[0]", "cell 3[0]", "cell 4[0]", "cell 4[0]", "cell 3[0]", "cell 2[0]"],
    "a storage that two tensors share is passed once",
  );
  assert.deepEqual(
    [labelled("n12"), labelled("g3"), labelled("more")],
    [{ kind: "name", id: 12 }, { kind: "grad", id: 3 }, null],
  );
});

test("a cell changes when its own value changes", () => {
  const index = indexed("views");
  const facts = index.storages[1].contents;
  const cellsOf = (cell) =>
    changesOf(index, { kind: "cell", id: 1, cell })
      .filter(({ what }) => what.includes("written"))
      .map(({ k }) => k);
  for (const cell of [0, 3]) {
    const expected = facts.filter(
      ([, { values }], place) => place > 0 && values[cell] !== facts[place - 1][1].values[cell],
    ).length;
    assert.equal(cellsOf(cell).length, expected);
  }
  assert.ok(cellsOf(0).length > cellsOf(3).length, "the snippet writes the first half alone");
});

test("the page goes from a tensor, its name, storage or cell to each Node that saved it", () => {
  const index = indexed("data");
  const saved = index.saved_tensors.find(({ geometry }) => geometry.storage === 3);
  const k = index.stops.findIndex((stop) => stop.tick >= saved.tick);
  for (const subject of [
    { kind: "storage", id: 3 },
    { kind: "cell", id: 3, cell: 0 },
    { kind: "tensor", id: index.names[3].tensor[0][1] },
    { kind: "name", id: 3 },
  ]) {
    show("data");
    goTo(index.stops.length - 2);
    select(subject);
    assert.equal(toSaving(), true);
    assert.equal(step.peek(), k, subject.kind);
  }
  select(null);
  assert.equal(toSaving(), false);
});
