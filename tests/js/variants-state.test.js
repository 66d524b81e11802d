/**
 * Tests of the collected variants of a room: the parts that students may see, the picked variant, and its
 * changed lines.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pickedIn, UNKNOWN } from "../../static/js/lazy/room/room-state.js";
import {
  changedLines,
  endOf,
  forClass,
  isFiled,
  lookOf,
  publicOf,
  sourceIn,
  variantsOf,
  withAhead,
} from "../../static/js/lazy/room/variants/variants-state.js";

const same = (text) => text;
const told = (id, count, more = {}) => ({
  id,
  kind: "finished",
  exception: null,
  line: null,
  count,
  ...more,
});
const collection = (classes, more = {}) => ({
  id: 7,
  open: true,
  hidden: false,
  count: 9,
  classes,
  others: 0,
  picked: [],
  ...more,
});

test("an invalid collection of variants is ignored", () => {
  const whole = collection([told(1, 3)]);
  assert.equal(variantsOf(whole), whole);
  assert.notEqual(variantsOf(collection(null, { others: null })), null);
  for (const wrong of [
    null,
    3,
    [],
    { ...whole, id: "7" },
    { ...whole, classes: {} },
    { ...whole, classes: [null] },
    { ...whole, classes: [told(1, 3, { lines: [3] })] },
    { ...whole, classes: [told(1, 3, { exception: {} })] },
    { ...whole, picked: undefined },
    { ...whole, open: 1 },
  ])
    assert.equal(variantsOf(wrong), null);
});

test("students see neither values, nor outcomes of fewer than three variants, nor hidden outcomes", () => {
  const classes = [told(1, 5, { lines: ["x = 1"] }), told(2, 2), told(3, 1), told(4, 1)];
  const shown = forClass(collection(classes, { picked: [{ id: 3, link: "abc" }], others: 6 }));
  assert.deepEqual(
    shown.rows?.map(({ id }) => id),
    [1, 3],
  );
  assert.equal(JSON.stringify(shown).includes("x = 1"), false);
  assert.equal(shown.others, 6 + 2 + 1);
  assert.deepEqual(forClass(collection(classes, { hidden: true })), { rows: null, others: 0 });
  assert.deepEqual(forClass(collection(null, { others: null })), { rows: null, others: 0 });
});

test("students do not see the name of an exception that a student defined", () => {
  const raised = (id, exception, more) => told(id, 3, { kind: "raised", exception, ...more });
  const classes = [raised(1, "Rude", { public: false }), raised(2, "KeyError", { public: true }), told(3, 3)];
  assert.notEqual(variantsOf(collection(classes)), null);
  assert.equal(variantsOf(collection([raised(1, "Rude", { public: 0 })])), null);
  const shown = forClass(collection(classes));
  assert.deepEqual(
    shown.rows?.map(({ exception }) => exception),
    [null, "KeyError", null],
  );
  assert.equal(JSON.stringify(shown).includes("Rude"), false);
  assert.deepEqual(publicOf(raised(2, "KeyError")), raised(2, "KeyError"));
});

test("the code of the picked variant is shown, never another variant instead", () => {
  const told = [{ source: "most" }, { source: "few" }];
  assert.equal(sourceIn(told, null), "most");
  assert.equal(sourceIn(told, "few"), "few");
  assert.equal(sourceIn(told, "gone"), null);
  assert.equal(sourceIn([{ source: "" }], ""), "");
  assert.equal(sourceIn([], null), null);
});

test("a cancelled run, or a run with a stopped worker, does not count", () => {
  const kinds = ["finished", "raised", "stopped", "crashed", "cancelled", "worker_stopped"];
  assert.deepEqual(kinds.filter(isFiled), ["finished", "raised", "stopped", "crashed"]);
});

test("a teacher's action on this page applies only to the collection for which it was made", () => {
  const now = collection([]);
  assert.deepEqual(withAhead(now, { id: 7, hidden: true }), { ...now, hidden: true });
  assert.deepEqual(withAhead({ ...now, hidden: true }, { id: 7, open: false }), {
    ...now,
    hidden: true,
    open: false,
  });
  assert.equal(withAhead(now, { id: 6, hidden: true }), now);
  assert.equal(withAhead(null, { id: 7, hidden: true }), null);
});

test("variants with hidden outcomes are not picked, and invalid links are ignored", () => {
  const picked = [
    { id: 1, link: "aB3" },
    { id: 2, link: "x9" },
  ];
  const state = (variants) => ({ ...UNKNOWN, variants });
  assert.deepEqual(pickedIn(state({ picked, hidden: false })), picked);
  assert.deepEqual(pickedIn(state({ picked, hidden: true })), []);
  assert.deepEqual(pickedIn(state(null)), []);
  assert.deepEqual(pickedIn(state({ picked: "aB3" })), []);
  const wrong = [null, 3, { id: 1 }, { id: 1, link: "../x" }, { id: "1", link: "a" }, { link: "a" }];
  assert.deepEqual(pickedIn(state({ picked: [...wrong, ...picked, ...picked] })), picked);
});

test("each way in which a variant can end has a message", () => {
  const raised = told(1, 3, { kind: "raised", exception: "RuntimeError", line: 4 });
  assert.deepEqual(endOf(raised, same), {
    id: "variants-raised",
    args: { exception: "RuntimeError", line: 4 },
  });
  const some = { ...raised, exception: null, line: null };
  assert.deepEqual(endOf(some, same), { id: "variants-raised-some", args: { line: 0 } });
  const wrong = told(2, 3, { kind: "silently_wrong", line: 3 });
  assert.deepEqual(endOf(wrong, same), { id: "variants-silently-wrong", args: { line: 3 } });
  assert.equal(endOf(told(3, 3, { kind: "stale" }), same).id, "variants-stale");
  assert.deepEqual(endOf(told(12, 3), same), { id: "variants-finished", args: { number: 12 } });
  assert.equal(endOf(told(3, 3, { kind: "timed_out" }), same).id, "variants-timed-out");
  assert.equal(endOf(told(3, 3, { kind: "constructor" }), same).id, "variants-otherwise");
  const looks = [raised, wrong, told(3, 3), told(3, 3, { kind: "crashed" })].map(lookOf);
  assert.deepEqual(looks, ["badly", "badly", "well", "stopped"]);
});

/** @param {ReturnType<typeof changedLines>} lines */
const written = (lines) => lines.map(({ mark, number, text }) => `${number ?? ""}${mark}${text}`);

test("changed lines are shown with the lines around them and the variant's line numbers", () => {
  const before = "a\nb\nc\nd\ne\nf\ng\n";
  assert.deepEqual(changedLines(before, before), []);
  assert.deepEqual(changedLines(before, `${before}\n\n`), []);
  assert.deepEqual(written(changedLines(before, "a\nb\nc\nX\ne\nf\ng\n")), ["3 c", "-d", "4+X", "5 e"]);
  assert.deepEqual(written(changedLines(before, "0\na\nb\nc\nd\ne\nf\n")), ["1+0", "2 a", "…", "7 f", "-g"]);
  assert.deepEqual(written(changedLines("a\nb\n", "c\nd\n")), ["-a", "-b", "1+c", "2+d"]);
  assert.deepEqual(written(changedLines("a", "")), ["-a", "1+"]);
});

test("the removed and added lines turn one source into the other, even if it is too long to align", () => {
  const random = (seed) => () => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  for (let seed = 1; seed < 60; seed += 1) {
    const next = random(seed);
    const text = () =>
      Array.from({ length: 1 + Math.floor(next() * 9) }, () => "abc"[Math.floor(next() * 3)]);
    const [before, after] = [text(), text()];
    const lines = changedLines(before.join("\n"), after.join("\n"));
    const [removed, added] = ["-", "+"].map((mark) => lines.filter((line) => line.mark === mark).length);
    assert.equal(after.length - before.length, added - removed);
    for (const { mark, number, text } of lines) if (mark === "+") assert.equal(after[number - 1], text);
  }
  const long = (word) => `${`${word}\n`.repeat(4000)}end`;
  const lines = changedLines(long("a"), long("b"));
  assert.equal(lines.filter(({ mark }) => mark === "-").length, 4000);
  assert.equal(lines.filter(({ mark }) => mark === "+").length, 4000);
});
