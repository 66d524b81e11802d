import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { indexOf } from "../../static/js/run/facts.js";
import { askedOf } from "../../static/js/run/questions/questions.js";
import { staleBy, staleWhenNeeded, stopsOfWrites } from "../../static/js/run/questions/walk-back.js";

const read = (name) =>
  indexOf(JSON.parse(readFileSync(new URL(`../questions/cases/${name}.json`, import.meta.url), "utf8")));
const linesOf = (index, saved) => stopsOfWrites(index, saved).map((k) => index.stops[k].line);
const answers = (index, saved) =>
  stopsOfWrites(index, saved).map((k) => askedOf(index, staleBy(index, saved, k)).right[0].whether);

test("the writes between the save and the run of its Node are found, whichever counter they moved", () => {
  const index = read("data-then-in-place");
  const [saved] = staleWhenNeeded(index);
  assert.deepEqual(linesOf(index, saved), [5, 7], "line 10 comes after backward needed it");
  assert.deepEqual(answers(index, saved), [true, false], ".data came first");
});

test("assigning to `.data` counts as a write", () => {
  const index = read("other-storage");
  const [saved] = staleWhenNeeded(index);
  assert.deepEqual(linesOf(index, saved), [4, 5]);
  assert.deepEqual(answers(index, saved), [true, false]);
});

test("a run without stale saved tensors has no search", () => {
  assert.deepEqual(staleWhenNeeded(read("no-gradient")), []);
});

test("200,000 writes are searched within 2 s", () => {
  const index = read("data-then-in-place");
  const [saved] = staleWhenNeeded(index);
  const [write] = index.writes.filter(({ id }) => id === index.saved_tensors[saved].overwritten[0][1]);
  const many = { ...index, writes: [...Array(200_000)].map((_, id) => ({ ...write, id: id + 1000 })) };
  const began = performance.now();
  assert.equal(stopsOfWrites(many, saved).length, 1);
  assert.ok(performance.now() - began < 2_000);
});
