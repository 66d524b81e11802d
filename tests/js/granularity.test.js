import assert from "node:assert/strict";
import { test } from "node:test";

import { indexOf } from "../../static/js/run/facts.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { stepSentences } from "../../static/js/words/steps/sentences.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import {
  goTo,
  nextGranularity,
  played,
  state,
  step,
  toStatement,
  granularity,
  chooseGranularity,
} from "../../static/js/state/store.js";
import { indexed, NAMES, read, whole } from "./fixtures.js";
import { showRun } from "./replays.js";

const wholeAt = (index, k) => whole(index, stateAt(index, k));
const runs = NAMES.flatMap((name) =>
  GRANULARITIES.map((granularity) => ({
    name,
    granularity,
    index: withGranularity(indexed(name), granularity),
  })),
);

/** Converts all facts of a trace to events, sorted by tick. */
function eventsOf({ trace }) {
  const found = [];
  const facts = (table, field) => {
    for (const record of trace[table] ?? [])
      for (const [tick, value] of record[field] ?? [])
        found.push([tick, `${table} ${record.id} ${field}`, value]);
  };
  const tickOf = (table, field) => {
    for (const record of trace[table] ?? [])
      if (record[field] !== undefined) found.push([record[field], `${table} ${record.id} ${field}`, true]);
  };
  for (const field of ["geometry", "version_counter", "grad", "grad_fn", "base"]) facts("tensors", field);
  for (const [table, field] of [
    ["names", "tensor"],
    ["storages", "nbytes"],
    ["storages", "contents"],
    ["version_counters", "version"],
  ])
    facts(table, field);
  for (const field of ["born", "died"]) tickOf("tensors", field);
  for (const [table, field] of [
    ["storages", "born"],
    ["storages", "freed"],
    ["nodes", "born"],
    ["nodes", "freed"],
    ["outputs", "tick"],
    ["saved_tensors", "tick"],
    ["saved_tensors", "released"],
  ])
    tickOf(table, field);
  return found.map((entry, number) => [...entry, number]).sort((a, b) => a[0] - b[0] || a[3] - b[3]);
}

/** Replays a trace from its beginning, one event at a time, without the look-ups of the player. */
class Stepper {
  constructor(document) {
    this.left = eventsOf(document);
    this.values = new Map();
  }

  until(tick) {
    while (this.left.length > 0 && this.left[0][0] <= tick) {
      const [, key, value] = this.left.shift();
      this.values.set(key, value);
    }
    return this;
  }

  get(key) {
    return this.values.get(key);
  }
}

function compare(stepper, state, { trace }, where) {
  const here = (table) =>
    (trace[table] ?? [])
      .filter(({ id }) => stepper.get(`${table} ${id} born`) && !stepper.get(`${table} ${id} died`))
      .map(({ id }) => id);
  assert.deepEqual([...state.tensors.keys()], here("tensors"), `${where}: tensors`);
  assert.deepEqual([...state.storages.keys()], here("storages"), `${where}: storages`);
  assert.deepEqual([...state.nodes.keys()], here("nodes"), `${where}: Nodes`);
  for (const [id, tensor] of state.tensors) {
    const fact = (field) => stepper.get(`tensors ${id} ${field}`) ?? null;
    const grad_fn = fact("grad_fn");
    const looked = [
      tensor.geometry,
      tensor.counter,
      tensor.grad,
      tensor.base,
      tensor.node,
      tensor.version ?? null,
    ];
    const counter = fact("version_counter");
    assert.deepEqual(
      looked,
      [
        fact("geometry"),
        counter,
        fact("grad"),
        fact("base"),
        grad_fn?.node ?? null,
        stepper.get(`version_counters ${counter} version`) ?? null,
      ],
      `${where}: tensor ${id}`,
    );
  }
  for (const [id, storage] of state.storages) {
    const looked = [storage.nbytes, storage.contents, storage.freed];
    assert.deepEqual(
      looked,
      [
        stepper.get(`storages ${id} nbytes`) ?? 0,
        stepper.get(`storages ${id} contents`) ?? null,
        stepper.get(`storages ${id} freed`) === true,
      ],
      `${where}: storage ${id}`,
    );
  }
  for (const [id, node] of state.nodes)
    assert.equal(node.freed, stepper.get(`nodes ${id} freed`) === true, `${where}: Node ${id}`);
  const named = (trace.names ?? [])
    .filter(({ id, frame }) => frame === 0 && state.tensors.has(stepper.get(`names ${id} tensor`)))
    .map(({ path }) => path);
  const labels = [...state.tensors.values()].flatMap((tensor) =>
    tensor.labels.filter((label) => label.frame === 0 && !label.is_grad).map((label) => label.text),
  );
  assert.deepEqual(labels.sort(), named.sort(), `${where}: names`);
  assert.equal(
    state.outputs.length,
    (trace.outputs ?? []).filter(({ id }) => stepper.get(`outputs ${id} tick`)).length,
    `${where}: output`,
  );
  for (const [id, look] of state.saved)
    assert.equal(
      look === "freed" || look === "stale-freed",
      stepper.get(`saved_tensors ${id} released`) === true,
      `${where}: saved tensor ${id}`,
    );
}

test("jumping equals stepping: look-ups at a stop give the same state as replaying every fact", () => {
  for (const { name, granularity, index } of runs) {
    const stepper = new Stepper(read(name));
    for (const [k, { tick }] of index.stops.entries())
      compare(stepper.until(tick), wholeAt(index, k), read(name), `${name} by ${granularity}, step ${k + 1}`);
  }
});

test("jumping equals stepping: any path through a run leads to the same state, at every granularity", () => {
  let seed = 7;
  const random = (below) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  const moves = [
    () => goTo(step.peek() + 1),
    () => goTo(step.peek() - 1),
    () => goTo(random(200)),
    () => goTo(random(30)),
    nextGranularity,
    () => toStatement(1),
    () => toStatement(-1),
  ];
  for (const name of NAMES) {
    showRun(withGranularity(indexed(name), granularity.peek()));
    step.value = 0;
    for (let count = 0; count < 150; count += 1) {
      moves[random(moves.length)]();
      const fresh = withGranularity(indexed(name), granularity.peek());
      assert.deepEqual(
        whole(played.value.index, state.value),
        wholeAt(fresh, step.peek()),
        `${name} by ${granularity.peek()}, step ${step.peek() + 1}`,
      );
    }
  }
});

test("a finer granularity has all stops of a coarser one, with the same states and in the same order", () => {
  const timeless = ({ k, before, stop, tensors, ...rest }) => ({
    gradients: rest.gradients.map(({ gradient }) => gradient),
    saved: rest.saved,
    outputs: rest.outputs,
    tick: rest.tick,
    tensors: [...tensors.values()].map(({ is_new, is_bumped, ...look }) => look),
    nodes: [...rest.nodes.values()].map(({ is_new, ...look }) => look),
  });
  for (const name of NAMES) {
    for (const [number, wide] of GRANULARITIES.slice(0, -1).entries()) {
      const [wider, narrower] = [
        withGranularity(indexed(name), wide),
        withGranularity(indexed(name), GRANULARITIES[number + 1]),
      ];
      const numbers = wider.stops.map(({ step }) => narrower.stop_of.get(step.id));
      assert.deepEqual(
        numbers,
        [...numbers].sort((a, b) => a - b),
      );
      for (const [k, at] of numbers.entries()) {
        assert.equal(narrower.stops[at].step.id, wider.stops[k].step.id);
        assert.deepEqual(
          timeless(wholeAt(narrower, at)),
          timeless(wholeAt(wider, k)),
          `${name}: step ${k + 1} by ${wide}`,
        );
      }
    }
  }
});

test("the stops are statements, then also Nodes, then also operators", () => {
  const kinds = (granularity) =>
    [...new Set(withGranularity(indexed("data"), granularity).stops.map((stop) => stop.kind))].sort();
  assert.deepEqual(GRANULARITIES.map(kinds), [
    ["statement"],
    ["node", "statement"],
    ["node", "operator", "statement"],
  ]);
  assert.deepEqual(
    GRANULARITIES.map((granularity) => withGranularity(indexed("data"), granularity).stops.length),
    [9, 13, 30],
  );
  assert.deepEqual(
    GRANULARITIES.map((granularity) => withGranularity(indexed("detach"), granularity).stops.at(-1).kind),
    ["exception", "exception", "exception"],
  );
});

test("changing the granularity keeps the stop, or goes to the end of the step that contains it", () => {
  showRun(withGranularity(indexed("data"), "operator"));
  granularity.value = "operator";
  const at = (line, kind) =>
    played.value.index.stops.findIndex((stop) => stop.line === line && stop.kind === kind);
  goTo(at(9, "operator") + 2);
  assert.equal(state.value.stop.node, 3);
  chooseGranularity("node");
  assert.deepEqual([state.value.stop.kind, state.value.stop.step.node], ["node", 3]);
  chooseGranularity("line");
  assert.deepEqual([state.value.stop.kind, state.value.stop.line], ["statement", 9]);
  chooseGranularity("operator");
  assert.deepEqual([state.value.stop.kind, state.value.stop.line], ["statement", 9]);
});

test("stepping by statement skips the stops between, and ends at the first and last stop of the run", () => {
  showRun(withGranularity(indexed("data"), "operator"));
  granularity.value = "operator";
  goTo(0);
  const lines = [];
  while (!state.value.is_last) {
    toStatement(1);
    lines.push(state.value.stop.line);
  }
  assert.deepEqual(lines, [2, 3, 4, 5, 6, 7, 8, 9]);
  toStatement(-1);
  assert.equal(state.value.stop.line, 8);
});

test("an operator has sentences about its results, the statement about named tensors, and both about shared memory", () => {
  const index = withGranularity(indexed("data"), "operator");
  const idsAt = (k) => stepSentences(index, stateAt(index, k), stateAt(index, k - 1)).map(({ id }) => id);
  assert.deepEqual(idsAt(9), ["story-operator", "story-made-on"]);
  assert.deepEqual(idsAt(10), ["story-shares", "story-counter-own"]);
  assert.deepEqual(idsAt(18), ["story-operator-of", "story-made"]);
  const texts = index.stops.flatMap((_, k) =>
    k === 0 ? [] : stepSentences(index, stateAt(index, k), stateAt(index, k - 1)),
  );
  assert.ok(
    !texts.some(({ id }) => id === "mode-grad-off-means"),
    "that backward records nothing goes without saying",
  );
});

test("the stops of a long run are found in about linear time", () => {
  const { trace } = read("data");
  const count = 60_000;
  const steps = Array.from({ length: count }, (_, id) =>
    id % 2 === 0
      ? { id, kind: "statement", began: id * 3 + 1, ended: id * 3 + 5 }
      : { id, parent: id - 1, kind: "operator", began: id * 3, ended: id * 3 + 1 },
  );
  const writes = steps
    .filter((step) => step.kind === "operator")
    .map((step, id) => ({ ...trace.writes[0], id, tick: step.ended }));
  const began = process.cpuUsage();
  const index = withGranularity(indexOf({ trace: { ...trace, steps, writes, gradients: [] } }), "operator");
  assert.equal(index.stops.length, count);
  assert.deepEqual(
    [index.stops.filter((stop) => stop.mark === "write").length, index.stops[0].mark],
    [count - 8, "operator"],
  );
  assert.ok(
    process.cpuUsage(began).user < 3_000_000,
    "each step looks at what lies within it, not at all writes",
  );
});
