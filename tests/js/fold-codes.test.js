import assert from "node:assert/strict";
import { test } from "node:test";

import { codesOf, isFoldCodes, openBy } from "../../static/js/run/stops/fold-codes.js";

const KEYS = [
  "call3",
  "call3+",
  "call3++",
  "round0.1",
  "rounds0.2.10",
  "module5.12",
  "loop round0.1",
  "loop rounds0.2.10",
];

test("any set of unfolded groups can be written into an address and read back", () => {
  for (let chosen = 0; chosen < 1 << KEYS.length; chosen += 1) {
    const open = new Set(KEYS.filter((_, at) => (chosen >> at) & 1));
    const written = codesOf(KEYS, open) ?? assert.fail("too long");
    assert.ok(isFoldCodes(written), written);
    assert.match(written, /^[a-z\d.,~-]+$/);
    assert.deepEqual(openBy(KEYS, written), open);
  }
});

test("unknown groups are ignored, and a list that is too long is omitted", () => {
  assert.deepEqual(openBy(["call1"], "c1,c2,r9.9"), new Set(["call1"]));
  assert.deepEqual(openBy([], "all"), new Set());
  const many = Array.from({ length: 400 }, (_, at) => `round7.${at}`);
  assert.equal(codesOf(many, new Set(many.slice(0, 200))), null);
  assert.equal(codesOf(many, new Set(many)), "all");
  assert.equal(codesOf(many, new Set(many.slice(1))), "-r7.0");
  assert.equal(codesOf(["another kind 3", "call1", "call2"], new Set(["another kind 3"])), null);
});

test("no other text counts as a list of groups", () => {
  for (const text of ["", "-", "x1", "c", "c1,", ",c1", "<b>", "c1;c2", "ALL", "c1".repeat(201), "__proto__"])
    assert.equal(isFoldCodes(text), false, text);
});
