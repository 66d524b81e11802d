import assert from "node:assert/strict";
import { test } from "node:test";

import { at, indexOf, stopAtTick } from "../../static/js/run/facts.js";
import { changedModes, modesOf } from "../../static/js/run/modes.js";
import { overlapsAt } from "../../static/js/run/overlap.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { stepSentences } from "../../static/js/words/steps/sentences.js";
import { indexed, NAMES, read, whole } from "./fixtures.js";

const wholeAt = (index, k) => whole(index, stateAt(index, k));
const state = (name, k) => wholeAt(indexed(name), k);
const named = (state, text) =>
  [...state.tensors.values()].find((tensor) => tensor.labels.some((label) => label.text === text));
const lines = (index) => index.stops.map((stop) => `${stop.line}${stop.mark[0]}`).join(" ");

test("a fact holds from its tick until the next", () => {
  const facts = [
    [3, "a"],
    [7, "b"],
  ];
  assert.deepEqual(
    [2, 3, 6, 7, 99].map((tick) => at(facts, tick)),
    [undefined, "a", "a", "b", "b"],
  );
  assert.equal(at(undefined, 5), undefined);
});

test("tables that a document omits are empty", () => {
  const { header } = read("data").trace;
  const index = indexOf({ trace: { source: "", header, ended: { kind: "finished" } } });
  assert.deepEqual([index.stops, index.tensors, index.findings, index.saved_of], [[], [], [], []]);
});

test("inner steps come before the statement that contains them", () => {
  assert.equal(lines(indexed("data")), "1s 2s 3s 4s 5s 6v 7s 8w 9n 9a 9n 9a 9s");
});

test("the stop of an exception replaces the stop of its statement, and comes last", () => {
  const index = indexed("detach");
  assert.equal(lines(index), "1s 2s 3s 4s 5s 6v 7s 8w 9n 9e");
  assert.equal(index.stop_of.get(16), 9, "the statement's own number leads to the exception");
});

test("the last stop of an interrupted run is its unfinished step, with all recorded facts", () => {
  const { trace } = read("data");
  const steps = trace.steps
    .slice(0, 17)
    .map((step) => (step.id === 16 ? { ...step, ended: undefined } : step));
  const index = indexOf({
    trace: { ...trace, steps, gradients: [], ended: { kind: "timed_out", clock: "wall", seconds: 8 } },
  });
  assert.equal(lines(index), "1s 2s 3s 4s 5s 6v 7s 8w 9s");
  assert.ok(named(wholeAt(index, 8), "w2.grad"), "a gradient that was recorded before the cut is there");
});

test("jumping equals stepping: a state depends only on the stop", () => {
  for (const name of NAMES) {
    const index = indexed(name);
    const stepped = index.stops.map((_, k) => wholeAt(index, k));
    for (const k of [...index.stops.keys()].reverse())
      assert.deepEqual(wholeAt(indexed(name), k), stepped[k], `${name}, step ${k + 1}`);
  }
});

test("`.data` gives one storage, two counters, and a stale saved tensor that torch does not detect", () => {
  const after = state("data", 7);
  const [d, d_] = [named(after, "d"), named(after, "d_")];
  assert.equal(d.geometry.storage, d_.geometry.storage);
  assert.deepEqual([d.version, d_.version, d_.is_bumped, d.is_bumped], [0, 1, true, false]);
  assert.equal(after.saved.get(1), "stale");
  assert.deepEqual([after.storages.get(3).before.values, after.storages.get(3).contents.values], [[4], [1]]);
});

test("`.detach()` gives one storage and one counter", () => {
  const after = state("detach", 7);
  assert.deepEqual([named(after, "d").version, named(after, "d_").version], [1, 1]);
});

test("a backward passes gradients, frees saved tensors and sets w2.grad to 1, Node by Node", () => {
  const sent = state("data", 8);
  assert.deepEqual(
    sent.gradients.map(({ fresh }) => fresh),
    [true, true, true],
  );
  assert.deepEqual(
    [sent.saved.get(1), sent.saved.get(0), named(sent, "w2.grad")],
    ["stale-freed", "current", undefined],
  );
  const grad = named(state("data", 9), "w2.grad");
  assert.deepEqual(state("data", 9).storages.get(grad.geometry.storage).contents.values, [1]);
  assert.equal(state("data", 12).gradients.length, 4);
});

test("a tick leads to the first step that includes it", () => {
  const index = indexed("data");
  assert.deepEqual(
    [0, 31, 51, 10_000].map((tick) => stopAtTick(index, tick)),
    [0, 7, 9, 12],
  );
});

test("a mode has a sentence when it begins, other threads at every step, and grad mode never in a Node", () => {
  const plain = { id: 0, kind: "statement", began: 0 };
  const inside = {
    ...plain,
    grad_enabled: false,
    autocast: true,
    autocast_dtype: "bfloat16",
    anomaly: true,
    saved_tensors_hooks: "active",
    other_threads: true,
  };
  const ids = (sentences) => sentences.map((sentence) => sentence.id.replace("mode-", ""));
  const none = { lookups: {}, source: "", steps: [] };
  assert.deepEqual(ids(modesOf(plain)), []);
  assert.deepEqual(ids(modesOf(inside)), ["grad-off", "autocast", "anomaly", "hooks", "threads"]);
  assert.deepEqual(ids(modesOf({ ...inside, inference: true })), [
    "inference",
    "autocast",
    "anomaly",
    "hooks",
    "threads",
  ]);
  assert.deepEqual(ids(modesOf({ ...plain, saved_tensors_hooks: "disabled" })), ["no-hooks"]);
  assert.deepEqual(ids(modesOf({ ...plain, kind: "node", grad_enabled: false })), []);
  assert.deepEqual(ids(changedModes(none, inside, plain)), [
    "grad-off-means",
    "autocast-means",
    "anomaly-means",
    "hooks-means",
    "threads-means",
  ]);
  assert.deepEqual(ids(changedModes(none, inside, inside)), ["threads-means"]);
  assert.deepEqual(ids(changedModes(none, inside, { ...inside, autocast_dtype: "float16" })), [
    "autocast-means",
    "threads-means",
  ]);
  const off = { ...plain, id: 0, grad_enabled: false };
  const [on, left] = [
    { ...plain, id: 1 },
    { lookups: {}, source: "", steps: [off, { ...plain, id: 1 }] },
  ];
  assert.deepEqual(
    ids(changedModes(left, off, off)),
    ["story-recording-again"],
    "the step that switched it on",
  );
  assert.deepEqual(ids(changedModes(left, on, off)), []);
  assert.deepEqual(ids(changedModes(left, { ...plain, kind: "node" }, off)), [], "a Node after a hook");
});

test("storages share bytes according to their current addresses, while both exist", () => {
  const storage = (id, address, size, more = {}) => ({
    id,
    born: 0,
    device: "cpu",
    address,
    nbytes: [[0, size]],
    ...more,
  });
  const storages = [
    storage(0, "0x100", 16),
    storage(1, "0x108", 8),
    storage(2, "0x110", 8),
    storage(3, "0x100", 4, { device: "cuda:0" }),
    storage(4, "0x110", 8, { moved: [[5, "0x200"]] }),
    storage(5, "0x100", 0),
    storage(6, "0x0", 8),
    storage(7, "0x0", 8),
    storage(8, "0x104", 4, { born: 3, freed: 7 }),
  ];
  const index = { storages };
  assert.deepEqual([...overlapsAt(index, 2)].sort(), [
    [0, 1],
    [1, 0],
    [2, 4],
    [4, 2],
  ]);
  assert.deepEqual([...overlapsAt(index, 5)].sort(), [
    [0, 1],
    [1, 0],
    [8, 0],
  ]);
  assert.deepEqual([...overlapsAt(index, 7)].sort(), [
    [0, 1],
    [1, 0],
  ]);
});

test("a tensor whose layout has no shape in torch is printed without a shape", () => {
  const { trace } = read("data");
  const first = trace.tensors[0];
  const geometry = first.geometry.map(([tick, geometry]) => [
    tick,
    { ...geometry, layout: "nested", shape: [], stride: null, storage_offset: null },
  ]);
  const index = indexOf({
    trace: { ...trace, tensors: [{ ...first, geometry }, ...trace.tensors.slice(1)] },
  });
  const sentences = index.stops.flatMap((_, k) =>
    stepSentences(index, stateAt(index, k), k > 0 ? stateAt(index, k - 1) : null),
  );
  assert.equal(sentences.find((sentence) => sentence.args.storage === "S0").args.shape, "none");
});
