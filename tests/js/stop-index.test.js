import assert from "node:assert/strict";
import { test } from "node:test";

import {
  stopIndexOf,
  firstFrom,
  marksIn,
  nextOf,
  passesIn,
  spaced,
} from "../../static/js/run/stops/stop-index.js";
import { stopOfFinding } from "../../static/js/run/facts.js";
import { loopIn, mainLoop, roundAt } from "../../static/js/run/stops/loops.js";
import { GRANULARITIES, withGranularity } from "../../static/js/run/stops/granularity.js";
import { indexed, NAMES } from "./fixtures.js";

const INDEXES = NAMES.flatMap((name) =>
  GRANULARITIES.map((granularity) => withGranularity(indexed(name), granularity)),
);

test("every stop has a mark and belongs to one pass", () => {
  for (const index of INDEXES) {
    const { marked, passes, statements, reached } = stopIndexOf(index);
    const all = index.stops.map((_, k) => k);
    assert.deepEqual(
      [...marked.values()].flat().sort((a, b) => a - b),
      all,
    );
    for (const [mark, stops] of marked) assert.ok(stops.every((k) => index.stops[k].mark === mark));
    assert.deepEqual(
      passes.flatMap(({ from, to }) => all.slice(from, to + 1)),
      all,
    );
    assert.deepEqual(
      statements,
      all.filter((k) => ["statement", "exception"].includes(index.stops[k].kind)),
    );
    for (const [line, k] of reached)
      assert.equal(
        index.stops.findIndex((stop) => stop.line === line),
        k,
      );
  }
});

test("the passes of a range of stops are exactly those that overlap it", () => {
  for (const index of INDEXES) {
    const last = index.stops.length - 1;
    for (const [from, to] of [
      [0, last],
      [1, 2],
      [last, last],
      [Math.floor(last / 3), Math.floor(last / 2)],
    ]) {
      const touched = stopIndexOf(index).passes.filter((pass) => pass.from <= to && pass.to >= from);
      assert.deepEqual(passesIn(index, { from, to }), touched);
    }
  }
});

test("a timeline mark for many stops shows a write or an exception among them", () => {
  for (const index of INDEXES) {
    const range = { from: 0, to: index.stops.length - 1 };
    assert.deepEqual(
      marksIn(index, range, 1, Infinity),
      index.stops.map((stop, k) => ({ k, mark: stop.mark })),
    );
    for (const each of [2, 3, 7, 50]) {
      const shown = marksIn(index, range, each, Infinity);
      assert.equal(shown.length, Math.ceil(index.stops.length / each));
      for (const weighty of ["exception", "write"]) {
        for (const k of stopIndexOf(index).marked.get(weighty) ?? []) {
          const { mark } = shown[Math.floor(k / each)];
          assert.ok(mark === "exception" || mark === weighty, `${mark} stands for ${weighty}`);
        }
      }
    }
  }
});

test("stops after the last visible stop are not shown", () => {
  for (const index of INDEXES) {
    const range = { from: 0, to: index.stops.length - 1 };
    for (const each of [1, 4]) {
      for (const { k, mark } of marksIn(index, range, each, 2)) assert.ok(k <= 2 || mark === "statement");
    }
  }
});

test("the next stop of a list is found, and stops that are too close to the previous one are left out", () => {
  const sorted = [2, 3, 5, 9, 10, 11, 30];
  assert.deepEqual([firstFrom(sorted, 0), firstFrom(sorted, 5), firstFrom(sorted, 31)], [0, 2, 7]);
  assert.deepEqual(
    [
      nextOf(sorted, 5, 1),
      nextOf(sorted, 5, -1),
      nextOf(sorted, 4, 1),
      nextOf(sorted, 4, -1),
      nextOf(sorted, 30, 1),
      nextOf(sorted, 2, -1),
    ],
    [9, 3, 5, 3, undefined, undefined],
  );
  assert.deepEqual(spaced(sorted, { from: 3, to: 29 }, 2), [3, 5, 9, 11]);
  assert.deepEqual(spaced(sorted, { from: 0, to: 30 }, 0.01), sorted);
});

test("each finding is at the stop from which it is shown", () => {
  for (const index of INDEXES) {
    const { findings, warned } = stopIndexOf(index);
    assert.equal([...findings.values()].flat().length, index.findings.length);
    for (const [k, found] of findings)
      assert.ok(found.every((finding) => stopOfFinding(index, finding) === k));
    assert.deepEqual(
      warned,
      [...findings.keys()].sort((a, b) => a - b),
    );
  }
});

test("the loop of a range is the longest one with two iterations that begin in the range", () => {
  const index = indexed("loop");
  const loop = mainLoop(index);
  assert.equal(loopIn(index, { from: loop.rounds[0], to: loop.rounds[1] }), loop);
  assert.equal(loopIn(index, { from: loop.rounds[0] + 1, to: loop.rounds[2] - 1 }), undefined);
  for (const [number, first] of loop.rounds.entries())
    assert.deepEqual([roundAt(loop, first - 1), roundAt(loop, first)], [number - 1, number]);
});
