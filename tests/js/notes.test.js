/**
 * Tests of the visitor's notes about steps: finding them at any granularity, their limits, and invalid
 * stored entries.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  hashOf,
  MOST,
  notedIn,
  noteOf,
  programs,
  read,
  write,
} from "../../static/js/lazy/presenter/notes.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { indexed } from "./fixtures.js";

test("a note is found at every granularity that has its step, even without storage", () => {
  assert.equal(globalThis.localStorage, undefined);
  const index = indexed("data");
  const [line, node, operator] = GRANULARITIES.map((each) => withGranularity(index, each));
  const fine = operator.stops.findIndex(({ kind }) => kind === "operator");
  const ends = node.stops.findIndex(({ step }) => step === line.stops[3].step);
  write(operator, fine, "of an operator");
  write(line, 3, "of a line");
  assert.deepEqual(notedIn(programs.value, line), [3]);
  assert.deepEqual(notedIn(programs.value, node), [ends]);
  assert.equal(noteOf(programs.value, node, ends), "of a line");
  assert.equal(notedIn(programs.value, operator).length, 2);
  assert.equal(noteOf(programs.value, operator, fine), "of an operator");
  assert.deepEqual(Object.keys(programs.value[0].notes), [
    `step=${fine + 1}&by=operator`,
    `step=${ends + 1}`,
  ]);
  assert.deepEqual(notedIn(programs.value, indexed("views")), []);
  write(node, ends, "");
  write(operator, fine, "");
  assert.deepEqual(programs.value, []);
});

test("stored notes are limited, and the oldest are removed first", () => {
  const index = (number) => ({ ...indexed("loop"), source: `# ${number}` });
  for (let number = 0; number <= MOST.programs; number += 1) write(index(number), 0, "a");
  assert.equal(programs.value.length, MOST.programs);
  assert.equal(noteOf(programs.value, index(0), 0), "");
  assert.equal(noteOf(programs.value, index(1), 0), "a");
  write(index(1), 0, "b".repeat(MOST.letters + 1));
  assert.equal(noteOf(programs.value, index(1), 0).length, MOST.letters);
  assert.equal(programs.value.at(-1).program, hashOf("# 1"));
  const long = "c".repeat(MOST.letters);
  const notes = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`step=${at + 1}`, long]));
  const both = JSON.stringify([
    { program: "old", notes },
    { program: "new", notes },
  ]);
  assert.deepEqual(
    read(both).map(({ program }) => program),
    ["new"],
  );
});

test("only valid stored entries are read", () => {
  const good = { program: "abc", notes: { "step=2": "x" } };
  const bad = [
    null,
    3,
    { program: "<img>", notes: {} },
    { program: "abc", notes: null },
    { program: "abc", notes: { "step=0": "x" } },
    { program: "abc", notes: { __proto__x: "x" } },
    { program: "abc", notes: { "step=1": 3 } },
    { program: "abc", notes: { "step=1": "x".repeat(MOST.letters + 1) } },
  ];
  assert.deepEqual(read(JSON.stringify([...bad, good])), [good]);
  for (const text of [null, "", "{", "{}", "3"]) assert.deepEqual(read(text), []);
});

test("different texts have different hashes", () => {
  const all = Array.from({ length: 5000 }, (_, at) => hashOf(`x = torch.ones(${at})`));
  assert.equal(new Set(all).size, all.length);
  assert.ok(all.every((hash) => /^[0-9a-z]{1,11}$/.test(hash)));
});
