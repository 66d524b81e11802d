import assert from "node:assert/strict";
import { test } from "node:test";

import { foldContentsAt } from "../../static/js/layout/folds/fold-contents.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { beside } from "../../static/js/layout/memory-navigation.js";
import { FREED } from "../../static/js/layout/folds/freed-folds.js";
import { foldAround, rowsAt, takenFrom } from "../../static/js/layout/memory-rows.js";
import { wantedInMemory } from "../../static/js/layout/wanted-in-memory.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { tagLines } from "../../static/js/layout/memory-widths.js";
import { indexOf } from "../../static/js/run/facts.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { indexed } from "./fixtures.js";

const measures = measuresFor(1440);

/** A generator of numbers. Equal seeds give equal numbers. */
function numbersFrom(seed) {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const STOPS = 40;

/**
 * The line of the loop in runs that `generated` makes with groups. The loop has 4 iterations of 4
 * statements.
 */
const LOOP = 21;
const LOOPING = [...Array(LOOP - 1).fill("x"), "for i in r:", "  x", "  x", "  x", "x", "x", "x", "x"].join(
  "\n",
);

/** The first and last statement of two nested calls in runs that `generated` makes with groups. */
const CALLS = [
  [4, 14],
  [8, 11],
];

/**
 * A random run in which storages of several sizes are created and freed. Some names are bound several times.
 * With groups, some storages are made within calls and within iterations of a loop.
 */
function generated(seed, hasGroups = false) {
  const number = numbersFrom(seed);
  const lineOf = (id) => (!hasGroups || id < LOOP - 1 ? id : id < LOOP + 15 ? LOOP - 1 + (id % 4) : id - 12);
  const frameOf = (id) => (hasGroups ? CALLS.filter(([from, to]) => id >= from && id <= to).length : 0);
  const steps = Array.from({ length: STOPS }, (_, id) => ({
    id,
    kind: "statement",
    frame: frameOf(id),
    began: 10 * id + 1,
    ended: 10 * id + 10,
    span: { line: lineOf(id) + 1, end_line: lineOf(id) + 1, column: 0, end_column: 1 },
  }));
  const calls = (hasGroups ? CALLS : []).map(([from, to], place) => ({
    ...{ id: place + 1, function: "f", line: 1, parent: place },
    ...{ began: 10 * from, ended: 10 * to + 10 },
  }));
  const [tensors, storages, names, saved_tensors] = [[], [], new Map(), []];
  for (let id = 0; id < 30; id += 1) {
    const born = 2 + number(10 * STOPS - 20);
    const died = number(4) === 0 ? undefined : born + 1 + number(120);
    const count = [1, 3, 40, 200][number(4)];
    const values = Array.from({ length: count }, () => 1);
    const geometry = { dtype: "float32", device: "cpu", layout: "strided", storage_offset: 0, storage: id };
    const shape = count === 40 ? [5, 8] : [count];
    const stride = count === 40 ? [8, 1] : [1];
    tensors.push({ id, born, died, type: "Tensor", geometry: [[born, { ...geometry, shape, stride }]] });
    storages.push({
      id,
      born,
      freed: died,
      device: "cpu",
      address: `${id}`,
      nbytes: [[born, 4 * count]],
      contents: [[born, { kind: "cells", dtype: "float32", values }]],
    });
    const [leaf] = tensors.filter(
      (other) => other.id < id && other.born < born && (other.died ?? 1e9) > born,
    );
    if (number(3) === 0 && leaf !== undefined && leaf.grad === undefined) leaf.grad = [[born, id]];
    const isNamed = leaf?.grad?.[0][1] !== id && number(3) > 0;
    if (!isNamed || number(2) === 0)
      saved_tensors.push({
        id: saved_tensors.length,
        node: number(3),
        name: "self",
        tick: born,
        tensor: id,
        geometry: tensors[id].geometry[0][1],
        version_counter: null,
        version: 0,
        ...(number(4) === 0 ? { released: born + number(60) } : {}),
      });
    if (isNamed) {
      const path = "abcde"[number(5)];
      const facts = names.get(path) ?? [];
      names.set(path, [...facts, [born, id]]);
    }
  }
  return indexOf({
    trace: {
      source: hasGroups ? LOOPING : "",
      header: {},
      ended: { kind: "finished" },
      steps,
      tensors,
      storages,
      saved_tensors,
      frames: [{ id: 0, function: "<module>", began: 0, line: 1 }, ...calls],
      nodes: ["MulBackward0", "TanhBackward0", "ExpBackward0"].map((name, id) => ({
        ...{ id, name, born: 1, made_by: 0, sequence_nr: id, edges: [], inputs: [] },
      })),
      names: [...names].map(([path, facts], id) => ({
        id,
        path,
        frame: 0,
        tensor: facts.sort((a, b) => a[0] - b[0]),
      })),
    },
  });
}

/** The stops directly after the end of an iteration or a call, and the last stop. */
const ENDS = new Set([...CALLS.map(([, to]) => to + 1), 24, 28, 32, 36, STOPS - 1]);

/** Options for a memory layout without groups, in which the line of freed storages is unfolded. */
const SHOWN = { groups: [], homes: [], open: new Set([FREED]) };

test("memory: a row has one storage at a time at a fixed place, and shows a freed one until the next", () => {
  let reused = 0;
  for (let seed = 0; seed < 60; seed += 1) {
    const index = generated(seed);
    const layout = memoryLayout(index, measures, undefined, SHOWN);
    const rows = layout.rows.filter(({ fold }) => fold === null);
    /** @type {Map<number, number>} */
    const heights = new Map();
    const places = new Map();
    for (const k of index.stops.keys()) {
      const state = stateAt(index, k);
      const shown = rowsAt(layout, state);
      assert.equal(new Set(shown.map(({ y }) => y)).size, shown.length, `seed ${seed}: two owners of a row`);
      for (const row of shown) {
        assert.equal(heights.get(row.y) ?? row.height, row.height, `seed ${seed}: a row of another height`);
        heights.set(row.y, row.height);
        const place = JSON.stringify([row.x, row.y, row.width, row.strip, row.slots]);
        assert.equal(places.get(row.key) ?? place, place, `seed ${seed}: ${row.key} moved`);
        places.set(row.key, place);
        const taken = takenFrom(index, row, state);
        if (taken === null) continue;
        reused += 1;
        const old = index.storages[Number(taken.other.slice(1))];
        assert.ok(old.freed <= state.tick, `seed ${seed}: ${taken.other} is still there`);
      }
    }
    for (const row of rows) {
      const { freed } = index.storages[row.storage];
      const next = rows.find((other) => other.y === row.y && other.from > row.from);
      assert.equal(row.until, next?.from ?? Infinity);
      for (const other of rows)
        assert.ok(
          other === row || other.y !== row.y || (freed ?? Infinity) <= other.from || other.from < row.from,
          `seed ${seed}: ${row.key} and ${other.key} live in one row`,
        );
      assert.ok(
        row.slots.every((slot) => slot.y >= row.y && slot.y + slot.height <= row.y + row.height),
        `seed ${seed}: a card of ${row.key} leaves its row`,
      );
      assert.ok(row.strip.y + row.strip.height <= row.y + row.height, `seed ${seed}: ${row.key} is cut`);
    }
  }
  assert.ok(reused > 200, `${reused} times a row had another owner`);
});

test("memory: the row of a live storage never moves; a freed storage folds when its iteration or call ends", () => {
  let [folded, closed, kept] = [0, 0, 0];
  for (let seed = 0; seed < 60; seed += 1) {
    const index = generated(seed, true);
    const layout = memoryLayout(index, measures);
    const line = layout.rows.find(({ fold }) => fold?.group.key === FREED);
    if (line === undefined) continue;
    const tops = new Map();
    let before = { shown: [], tick: -1 };
    for (const k of index.stops.keys()) {
      const state = stateAt(index, k);
      const where = `seed ${seed}, step ${k + 1}`;
      const shown = rowsAt(layout, state).sort((a, b) => a.y - b.y);
      for (const [place, { y, height }] of shown.entries())
        assert.ok(y + height <= (shown[place + 1]?.y ?? Infinity), `${where}: a row covers another`);
      const drawn = new Set(shown.map(({ storage }) => storage));
      for (const { storage, from } of layout.rows)
        if (storage !== null && from <= state.tick && !state.storages.get(storage).freed)
          assert.ok(drawn.has(storage), `${where}: S${storage} lives and is not shown`);
      for (const { key, y } of shown) {
        assert.equal(tops.get(key) ?? y, y, `${where}: ${key} moved`);
        tops.set(key, y);
      }
      const gone = before.shown.filter(
        (row) => !shown.includes(row) && !shown.some(({ y, from }) => y === row.y && from > before.tick),
      );
      if (!ENDS.has(k)) assert.deepEqual(gone, [], `${where}: no round or call ends`);
      closed += gone.length;
      kept += shown.filter(({ storage }) => state.storages.get(storage)?.freed).length;
      folded = Math.max(folded, foldContentsAt(index, state, line.fold).count);
      before = { shown, tick: state.tick };
    }
  }
  assert.ok(folded > 10 && closed > 100 && kept > 100, `${folded} folded, ${closed} closed, ${kept} kept`);
});

test("memory: when freed, storages that are pinned, stale, in a finding, or few stay in their rows", () => {
  const index = generated(3);
  const foldsOf = (changed, pinned = []) => {
    // A copy, for which no results are cached.
    const run = { ...index, ...changed, lookups: { ...index.lookups } };
    const { rows } = memoryLayout(run, measures, { hidden: [], pinned });
    return new Set(rows.flatMap(({ fold }) => fold?.members.map(({ storage }) => storage) ?? []));
  };
  const folded = foldsOf({});
  assert.ok(folded.size > 3);
  const one = index.saved_tensors.find(({ tensor }) => folded.has(tensor));
  const isNamed = ({ tensor: [[, id]] }) => folded.has(id);
  const named = index.names.find(isNamed);
  assert.ok(one !== undefined && named !== undefined);
  const others = index.saved_tensors.filter((saved) => saved !== one);
  assert.ok(!foldsOf({ saved_tensors: [...others, { ...one, overwritten: [[1, 0]] }] }).has(one.tensor));
  assert.ok(!foldsOf({ findings: [{ storages: [one.tensor] }] }).has(one.tensor));
  assert.ok(!foldsOf({}, [named.path]).has(named.tensor[0][1]));
  const lasting = index.storages.map((each) => (each.id > 2 ? { ...each, freed: undefined } : each));
  assert.equal(foldsOf({ storages: lasting }).size, 0);
});

test("memory: the row of a gradient follows the row of its owner", () => {
  const index = indexed("data");
  const { rows } = memoryLayout(index, measures);
  const places = new Map([...rows].sort((a, b) => a.y - b.y).map(({ storage }, place) => [storage, place]));
  const of = (tensor) => index.tensors[tensor].geometry[0][1].storage;
  const leaves = index.tensors.filter(({ grad }) => (grad ?? []).some(([, id]) => id !== null));
  assert.equal(leaves.length, 2);
  for (const { id, grad } of leaves)
    assert.equal(
      places.get(of(grad.find(([, tensor]) => tensor !== null)[1])),
      (places.get(of(id)) ?? NaN) + 1,
    );
});

const ROUNDS = [
  { key: "call", parent: -1, scopes: [{ kind: "call", name: "f" }], first: 0 },
  { key: "round1", parent: 0, scopes: [{ kind: "round", line: 2, round: 1 }], first: 0 },
  { key: "round2", parent: 0, scopes: [{ kind: "round", line: 2, round: 2 }], first: 1 },
  { key: "inner", parent: 2, scopes: [{ kind: "module", name: "g" }], first: 2 },
];

test("memory: a folded group is scrolled into view if one of its storages is written, or it alone gets a new one", () => {
  let [grown, written] = [0, 0];
  for (let seed = 0; seed < 30; seed += 1) {
    const index = generated(seed);
    const layout = memoryLayout(index, measures, undefined, {
      groups: ROUNDS,
      homes: [1, 2, 3],
      open: new Set(["call"]),
    });
    for (const k of index.stops.keys()) {
      const state = stateAt(index, k);
      const isNew = ({ from, to }) => from > state.before && from <= state.tick && state.tick < to;
      const rows = rowsAt(layout, state);
      const groups = rows.filter(({ fold }) => fold?.isOpen === false);
      const isWanted = (row, now) =>
        wantedInMemory(index, layout, now).either.some((list) => list.includes(row));
      for (const row of groups.filter(({ fold }) => foldContentsAt(index, state, fold).isNew)) {
        if (layout.rows.some(({ slots }) => slots.some(isNew))) continue;
        grown += 1;
        assert.ok(isWanted(row, state), `seed ${seed}, step ${k + 1}: ${row.key} grows`);
      }
      for (const row of groups) {
        const held = row.fold.members.find(({ from, to }) => from <= state.tick && state.tick < to);
        if (held === undefined) continue;
        written += 1;
        const now = { ...state, writes: [{ storage: held.storage, changed: true }] };
        assert.ok(isWanted(row, now), `seed ${seed}, step ${k + 1}: S${held.storage} is written`);
      }
    }
  }
  assert.ok(grown > 10 && written > 100, `${grown} groups grew, ${written} were written`);
});

test("memory: each existing storage is in a row or in one folded group, for any set of unfolded groups", () => {
  let folded = 0;
  for (let seed = 0; seed < 30; seed += 1) {
    const index = generated(seed);
    const whole = memoryLayout(index, measures);
    for (const open of [[], ["call"], ["call", "round1"], ["call", "round1", "round2", "inner"]]) {
      const folding = { groups: ROUNDS, homes: [1, 2, 3], open: new Set(open) };
      const layout = memoryLayout(index, measures, undefined, folding);
      const heights = new Map();
      for (const k of index.stops.keys()) {
        const state = stateAt(index, k);
        const isAlive = ({ storage }) => storage !== null && !state.storages.get(storage).freed;
        const exist = rowsAt(whole, state).filter(isAlive);
        const shown = rowsAt(layout, state);
        const groups = shown.filter(({ key, fold }) => key !== FREED && fold?.isOpen === false);
        const contents = groups.map(({ fold }) => foldContentsAt(index, state, fold));
        const count = contents.reduce((sum, each) => sum + each.count, 0);
        const where = `seed ${seed}, step ${k + 1}, open: ${open}`;
        assert.equal(shown.filter(isAlive).length + count, exist.length, where);
        const drawn = new Set(shown.map(({ storage }) => storage));
        const bytes = exist
          .filter(({ storage }) => !drawn.has(storage))
          .reduce((sum, { storage }) => sum + state.storages.get(storage).nbytes, 0);
        assert.equal(
          contents.reduce((sum, each) => sum + each.bytes, 0),
          bytes,
          where,
        );
        assert.equal(new Set(shown.map(({ y }) => y)).size, shown.length, where);
        for (const { y, height } of shown) {
          assert.equal(heights.get(y) ?? height, height, `${where}: another height`);
          heights.set(y, height);
        }
        folded += count;
        if (open.length === ROUNDS.length) assert.equal(count, 0);
      }
    }
  }
  assert.ok(folded > 1000, `${folded} storages were counted`);
});

test("an entry of a dict with a Tensor as key is next to the row of the key, and its name has two lines", () => {
  const names = [
    { path: "model.fc.weight", tensor: 0 },
    { path: "x", tensor: 1 },
    { path: "opt.state[model.fc.weight]['exp_avg']", tensor: 2, key: 0 },
    { path: "opt.state[model.fc.weight]['exp_avg_sq']", tensor: 3, key: 0 },
  ];
  const geometry = { dtype: "float32", device: "cpu", layout: "strided", shape: [2], stride: [1] };
  const contents = { kind: "cells", dtype: "float32", values: [1, 1] };
  const index = indexOf({
    trace: {
      ...{ source: "", steps: [], frames: [{ id: 0, function: "<module>", began: 0, line: 1 }] },
      names: names.map(({ path, tensor, key }, id) => ({
        id,
        path,
        frame: 0,
        key,
        tensor: [[5 + id, tensor]],
      })),
      tensors: names.map((_, id) => ({
        ...{ id, born: 1 + id, type: id === 0 ? "Parameter" : "Tensor" },
        geometry: [[1 + id, { ...geometry, storage_offset: 0, storage: id }]],
      })),
      storages: names.map((_, id) => ({
        ...{ id, born: 1 + id, device: "cpu", address: `${id}` },
        ...{ nbytes: [[1 + id, 8]], contents: [[1 + id, contents]] },
      })),
      ended: { kind: "finished" },
    },
    findings: [],
  });
  const { rows } = memoryLayout(index, measures);
  assert.deepEqual(
    rows.map(({ storage }) => storage),
    [0, 2, 3, 1],
  );
  assert.deepEqual(tagLines(index, names[2].path, 16), ["exp_avg", "fc.weight"]);
  assert.deepEqual(tagLines(index, "m[fc.weight]", 16), ["m", "[fc.weight]"]);
  assert.deepEqual(tagLines(index, "d[True]", 16), ["d[True]"]);
  assert.deepEqual(tagLines(index, "w.grad", 16), ["w", ".grad"]);
});

/**
 * A recorded run of one training step with Adam. The model has `blocks` blocks with two linear layers each,
 * and each tensor has a storage of its own.
 */
function trained(blocks) {
  const [tensors, storages, names] = [[], [], []];
  const made = (path, tick, type = "Tensor", more = {}) => {
    const id = tensors.length;
    const geometry = { dtype: "float32", device: "cpu", layout: "strided", shape: [2], stride: [1] };
    tensors.push({
      id,
      born: tick,
      type,
      geometry: [[tick, { ...geometry, storage_offset: 0, storage: id }]],
    });
    const contents = { kind: "cells", dtype: "float32", values: [1, 1] };
    const facts = { nbytes: [[tick, 8]], contents: [[tick, contents]] };
    storages.push({ id, born: tick, device: "cpu", address: `${id}`, ...facts });
    if (path !== null) names.push({ id: names.length, path, frame: 0, tensor: [[tick, id]], ...more });
    return id;
  };
  const layers = Array.from({ length: blocks }, (_, block) =>
    ["up", "down"].map((name) => `model.blocks[${block}].${name}`),
  ).flat();
  const held = ["model.head", ...layers].flatMap((path) =>
    ["weight", "bias"].map((name) => ({
      path: `${path}.${name}`,
      id: made(`${path}.${name}`, 2, "Parameter"),
    })),
  );
  made("x", 12);
  for (const { id } of held) tensors[id].grad = [[22, made(null, 22)]];
  for (const { path, id } of held)
    for (const key of ["exp_avg", "exp_avg_sq"])
      made(`opt.state[${path}]['${key}']`, 32, "Tensor", { key: id });
  const writes = held.map(({ id }, number) => ({
    id: number,
    tick: 33,
    step: 3,
    storage: id,
    changed: true,
  }));
  const steps = [1, 11, 21, 31].map((began, id) => ({
    ...{ id, kind: "statement", frame: 0, began, ended: began + 9 },
    span: { line: id + 1, end_line: id + 1, column: 0, end_column: 1 },
  }));
  const trace = {
    source: "",
    header: {},
    steps,
    tensors,
    storages,
    names,
    writes,
    ended: { kind: "finished" },
  };
  const frames = [{ id: 0, function: "<module>", began: 0, line: 1 }];
  return indexOf({ trace: { ...trace, frames }, findings: [] });
}

const openIn = ({ rows }) => rows.filter(({ fold }) => fold?.isOpen).map(({ fold }) => fold.group.key);
const foldedIn = ({ rows }) =>
  rows.filter(({ fold }) => fold?.isOpen === false).map(({ fold }) => fold.group.key);

test("memory: Parameters fold by module, with gradients and optimizer state, in a large model only", () => {
  const small = memoryLayout(trained(1), measures);
  assert.deepEqual([small.groups, small.rows.length], [[], 25]);
  const index = trained(8);
  const layout = memoryLayout(index, measures);
  assert.deepEqual(openIn(layout), ["in model", "in model.blocks"]);
  const blocks = Array.from({ length: 8 }, (_, block) => `in model.blocks[${block}]`);
  assert.deepEqual(foldedIn(layout), ["in model.head", ...blocks]);
  const states = [...index.stops.keys()].map((k) => stateAt(index, k));
  const block = layout.rows.find(({ fold }) => fold?.group.key === "in model.blocks[3]").fold;
  const told = states.map((state) => foldContentsAt(index, state, block));
  const roles = told.map((each) => Object.fromEntries(each.roles.map(({ name, count }) => [name, count])));
  assert.deepEqual(roles, [
    { parameter: 4 },
    { parameter: 4 },
    { parameter: 4, gradient: 4 },
    { parameter: 4, gradient: 4, state: 8 },
  ]);
  assert.deepEqual(
    told.map(({ about }) => about && [about.what, about.names.length, about.names[0]]),
    [["new", 4, "up.weight"], null, ["new", 4, "up.weight.grad"], ["written", 4, "up.weight"]],
  );
});

test("memory: a module folds with its buffers, whatever their first name, and shows their number", () => {
  const index = trained(8);
  const add = (path, tick, more) => {
    const id = index.tensors.length;
    const geometry = { dtype: "float32", device: "cpu", layout: "strided", shape: [2], stride: [1] };
    index.tensors.push({
      ...{ id, born: tick, type: "Tensor" },
      geometry: [[tick, { ...geometry, storage_offset: 0, storage: id }]],
    });
    index.storages.push({ id, born: tick, device: "cpu", address: `${id}`, nbytes: [[tick, 8]] });
    index.names.push({ id: index.names.length, path, frame: 0, tensor: [[tick, id]], ...more });
    return id;
  };
  add("model.blocks[3].mean", 2, { is_buffer: [[2, true]] });
  add("model.blocks[3].cache", 2, {});
  const late = add("table", 2, {});
  index.names.push({
    ...{ id: index.names.length, path: "model.blocks[3].table", frame: 0 },
    ...{ tensor: [[19, late]], is_buffer: [[19, true]] },
  });
  add("bare.mean", 2, { is_buffer: [[2, true]] });
  add("bare.var", 2, { is_buffer: [[2, true]] });
  const again = indexOf({ trace: { ...index, ended: { kind: "finished" } }, findings: [] });
  const layout = memoryLayout(again, measures);
  const told = (key) => {
    const { fold } = layout.rows.find((row) => row.fold?.group.key === key);
    const { roles } = foldContentsAt(again, stateAt(again, 1), fold);
    return Object.fromEntries(roles.map(({ name, count }) => [name, count]));
  };
  assert.deepEqual(told("in model.blocks[3]"), { parameter: 4, buffer: 2, other: 1 });
  assert.deepEqual(told("in bare"), { buffer: 2 });
});

test("memory: for any unfolded modules, each storage is in one row or group, next to its gradient and state", () => {
  const index = trained(8);
  const whole = memoryLayout(index, measures);
  const keys = whole.groups.map(({ key }) => key);
  for (let number = 0; number < 40; number += 1) {
    const random = numbersFrom(number);
    const open = new Set(keys.filter(() => random(2) === 0));
    const layout = memoryLayout(index, measures, undefined, { groups: [], homes: [], open });
    const heights = new Map();
    for (const k of index.stops.keys()) {
      const state = stateAt(index, k);
      const shown = rowsAt(layout, state);
      const held = shown.flatMap(({ storage, fold }) =>
        fold === null
          ? [storage]
          : fold.isOpen
            ? []
            : fold.members
                .filter(({ from, to }) => from <= state.tick && state.tick < to)
                .map((each) => each.storage),
      );
      const alive = index.storages.filter(({ born }) => born <= state.tick).map(({ id }) => id);
      assert.deepEqual(
        held.sort((a, b) => a - b),
        alive,
        `${number}, step ${k + 1}`,
      );
      assert.equal(new Set(shown.map(({ y }) => y)).size, shown.length);
      for (const { y, key } of layout.rows) assert.equal(heights.get(key) ?? y, y);
      for (const { y, key } of layout.rows) heights.set(key, y);
    }
    const order = [...layout.rows].sort((a, b) => a.y - b.y);
    for (const [place, { storage }] of order.entries()) {
      const leaf = index.tensors[storage ?? -1];
      if (leaf?.grad)
        assert.equal(order[place + 1]?.storage, leaf.grad[0][1], "a gradient follows its owner");
    }
    for (const [storage, group] of layout.homes) {
      const way = [];
      for (let at = group; at >= 0; at = layout.groups[at].parent) way.push(layout.groups[at].key);
      const isShown = layout.rows.some((row) => row.storage === storage);
      assert.equal(
        isShown,
        way.every((key) => open.has(key)),
        "what is open is shown",
      );
    }
  }
});

test("memory: keys select folded groups, too, and a storage in one is found through the group", () => {
  const index = trained(8);
  const layout = memoryLayout(index, measures);
  const state = stateAt(index, 3);
  let subject = beside(layout, state, null, 0, 1);
  const met = [];
  for (let number = 0; number < 20; number += 1) {
    met.push(subject.kind === "fold" ? layout.groups[subject.id].key : subject.kind);
    subject = beside(layout, state, subject, 0, 1);
  }
  assert.deepEqual(met.slice(0, 4), ["in model", "in model.head", "in model.blocks", "in model.blocks[0]"]);
  const weight = index.names.find(({ path }) => path === "model.blocks[3].down.weight").tensor[0][1];
  assert.equal(foldAround(layout, state, weight).fold.group.key, "in model.blocks[3]");
});
