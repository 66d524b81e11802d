/**
 * How far a visitor has come: the first time counts, and what a browser kept is believed as far as it is
 * ours.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf, done, read, remember } from "../../static/js/state/lesson-progress.js";

test("the first time counts, also where nothing can be kept", () => {
  assert.equal(globalThis.localStorage, undefined);
  remember("one", "wrong");
  remember("one", "right");
  remember("two", "right");
  assert.deepEqual(done.value, { one: "wrong", two: "right" });
  assert.deepEqual(countOf(done.value, [{ slug: "one" }, { slug: "two" }, { slug: "three" }]), {
    done: 2,
    right: 1,
    count: 3,
  });
});

test("what is kept is read as far as it is ours", () => {
  assert.deepEqual(read(null), {});
  assert.deepEqual(read("no JSON"), {});
  assert.deepEqual(read("null"), {});
  assert.deepEqual(read('["right"]'), { 0: "right" });
  assert.deepEqual(read('{"a-b": "right", "c": "perhaps", "<img>": "wrong", "__proto__": "seen"}'), {
    "a-b": "right",
  });
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, number) => [`lesson-${number}`, "seen"]));
  assert.equal(Object.keys(read(JSON.stringify(many))).length, 500);
});
