/** Tests of the stored progress through the lessons. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countOf,
  done,
  isDone,
  read,
  readTried,
  remember,
  rememberTried,
} from "../../static/js/state/lesson-progress.js";

test("only the first way in which an answer was seen counts, even without local storage", () => {
  assert.equal(globalThis.localStorage, undefined);
  remember("one", "wrong");
  remember("one", "right");
  remember("two", "right");
  assert.deepEqual(done.value, { one: "wrong", two: "right" });
  assert.deepEqual(countOf([{ slug: "one" }, { slug: "two" }, { slug: "three" }]), {
    done: 2,
    right: 1,
    count: 3,
  });
});

test("a lesson whose answer was only shown is not done until its final change is made", () => {
  remember("shown", "shown");
  remember("shown", "right");
  assert.equal(done.value.shown, "shown");
  assert.ok(!isDone("shown") && isDone("one") && !isDone("three"));
  rememberTried("shown");
  assert.ok(isDone("shown"));
  assert.deepEqual(read('{"before": "seen"}'), { before: "seen" });
  assert.deepEqual([...readTried('["a-b", "<img>", 3, "c"]')], ["a-b", "c"]);
  assert.deepEqual([...readTried('{"a": 1}'), ...readTried(null), ...readTried("no JSON")], []);
});

test("only valid stored entries are read", () => {
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
