/**
 * Tests of the state of a room: merging changes, the step and view in it, and the teacher's rooms that the
 * browser stores.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { CODE, read } from "../../static/js/lazy/room/held.js";
import {
  followedView,
  isSame,
  readAt,
  told,
  UNKNOWN,
  writtenAt,
} from "../../static/js/lazy/room/room-state.js";

test("the state of a room needs only the latest change of each key", () => {
  const changes = [
    { n: 1, at: "step=1", view: "", members: 0 },
    { n: 2, at: "step=2" },
    { n: 3, members: 4 },
    { n: 4, at: "step=9", selection: { kind: "storage", id: 3 } },
  ];
  const whole = changes.reduce(told, UNKNOWN);
  const merged = { n: 4, at: "step=9", members: 4, view: "", selection: { kind: "storage", id: 3 } };
  assert.deepEqual(told(UNKNOWN, merged), whole);
  assert.deepEqual(whole.at, "step=9");
});

test("older, unknown and invalid changes are ignored", () => {
  const now = told(UNKNOWN, { n: 7, at: "step=3" });
  for (const news of [{ n: 6, at: "step=1" }, { at: "step=1" }, null, "n", 3, { n: "8", at: "step=1" }])
    assert.equal(told(now, news), now);
  assert.equal("constructor" in Object.assign(Object.create(null), told(now, { n: 8, other: 1 })), false);
  assert.equal(told(now, { n: 8, other: 1 }).other, undefined);
});

test("a step is written in the notation of addresses and read back", () => {
  for (const by of /** @type {const} */ (["line", "node", "operator"]))
    for (const step of [0, 7, 999]) assert.deepEqual(readAt(writtenAt(step, by)), { step, by });
  assert.equal(writtenAt(7, "node"), "step=8");
  for (const at of ["", "step=0", "step=-1", "step=1e3", "step=8&by=word", "by=line", "step=8&by=line&x=1"])
    assert.equal(readAt(at), null);
});

test("students follow the teacher's groups and pins, but neither language nor zoom", () => {
  assert.equal(followedView("lang=zh-CN&zoom=1.5&open=c1&rows=none&pin=x"), "open=c1&rows=none&pin=x");
  assert.equal(followedView("lang=en"), "");
});

test("values are equal if their contents are equal", () => {
  assert.ok(isSame({ kind: "cell", id: 1, cell: 2 }, { kind: "cell", id: 1, cell: 2 }));
  assert.ok(!isSame(null, { kind: "cell" }) && isSame(null, null));
});

const NOW = 1_700_000_000_000;
const HELD = {
  code: "ABCXYZ",
  secret: "s".repeat(43),
  projector: "p",
  link: "ulZpeXF6M9J",
  until: NOW + 1000,
};

test("of the rooms in the browser's storage, only a few valid ones that have not expired are read", () => {
  const bad = [
    null,
    3,
    { ...HELD, code: "abcxyz" },
    { ...HELD, code: "ABCXYI" },
    { ...HELD, secret: 3 },
    { ...HELD, secret: "s".repeat(201) },
    { ...HELD, link: "../x" },
    { ...HELD, until: NOW - 1 },
    { ...HELD, until: NOW + 1e12 },
  ];
  assert.deepEqual(read(JSON.stringify([...bad, HELD]), NOW), [HELD]);
  assert.deepEqual(read(JSON.stringify([{ ...HELD, link: null }]), NOW).length, 1);
  assert.equal(read(JSON.stringify(Array(50).fill(HELD)), NOW).length, 8);
  for (const text of [null, "", "{", "{}", "3"]) assert.deepEqual(read(text, NOW), []);
});

test("a code has six letters that cannot be confused", () => {
  assert.ok(CODE.test("ABCDEF") && !CODE.test("ABCDEI") && !CODE.test("ABCDEO") && !CODE.test("ABCDE1"));
});
