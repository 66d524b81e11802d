import assert from "node:assert/strict";
import { test } from "node:test";

import { clip } from "../../static/js/run/values/format.js";
import {
  legible,
  legibleArguments,
  legibleLines,
  legibleTables,
  linesOf,
  LITERAL,
} from "../../static/js/run/legible.js";
import { monoWidth } from "../../static/js/run/values/text-width.js";
import { read } from "./fixtures.js";

const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066\u2067]/;

test("plain text and the characters that other scripts need are not changed", () => {
  for (const text of [
    "x",
    "model.layers[0].weight",
    "名字",
    "naïve",
    "été",
    "e\u0301",
    "👨‍👩‍👧",
    "e",
    "☀️",
    "ひらがな",
  ])
    assert.equal(legible(text), text);
});

test("invisible characters and direction controls are escaped as in Python", () => {
  const cases = {
    "\u202egnp": "\\u202egnp",
    "a\u200bb": "a\\u200bb",
    "\x1b[31m": "\\x1b[31m",
    "\0": "\\x00",
    "a\nb\r": "a\\nb\\r",
    "\u{e0041}": "\\U000e0041",
    "x\u200dy": "x\\u200dy",
    "\ufdfd": "\\ufdfd",
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(legible(text), expected);
});

test("right-to-left text is isolated, and combining marks neither stack nor begin a text", () => {
  assert.equal(legible("שלום"), "\u2068שלום\u2069");
  assert.equal(legible(`e${"\u0301".repeat(6)}`), `e${"\u0301".repeat(4)}\\u0301\\u0301`);
  assert.equal(legible("\u0301x"), "◌\u0301x");
});

test("printed output keeps its lines and its tabs", () => {
  assert.equal(
    legibleLines("a\tb\r\nשל\n\u202ex\n10%\r20%\n"),
    "a\tb\n\u2068של\u2069\n\\u202ex\n10%\\r\n20%\n",
  );
  const long = "y".repeat(1 << 20);
  assert.equal(legibleLines(long), long);
});

test("names are shortened and never count as markup", () => {
  const [first] = legibleTables({ names: [{ id: 0, path: "x".repeat(10000), frame: 0 }] }).names;
  assert.equal(first.path, `${"x".repeat(60)}…${"x".repeat(40)}`);
  const args = legibleArguments({
    name: "`S4`",
    other: "v1",
    type: "[1.]",
    names: "`Linear`, `nn`",
    line: 3,
  });
  assert.deepEqual(args, {
    name: `\`${LITERAL}S4\`${LITERAL}`,
    other: `v1${LITERAL}`,
    type: `[1.]${LITERAL}`,
    names: "`Linear`, `nn`",
    line: 3,
  });
});

test("a trace of plain text is not changed", () => {
  const { trace } = read("data");
  const same = legibleTables(trace);
  for (const [name, table] of Object.entries(trace)) {
    if (name === "variables") assert.deepEqual(same[name], table);
    else if (Array.isArray(table))
      assert.ok(
        table.every((record, number) => record === same[name][number]),
        name,
      );
  }
});

test("a long line of the source is cut", () => {
  const source = `a = 1\n  s = "${"x".repeat(1 << 20)}"\nb = 2`;
  assert.equal(linesOf({ source }, 1), "a = 1");
  assert.ok(linesOf({ source }, 2).length < 320);
  assert.equal(linesOf({ source }, 9), "");
});

test("clipped text fits in any script, without cutting a character", () => {
  for (const text of [
    "x".repeat(50),
    "名".repeat(50),
    "😀".repeat(50),
    `a${"名".repeat(9)}b`,
    "e\u0301".repeat(40),
  ]) {
    for (const most of [2, 8, 12, 16]) {
      const clipped = clip(text, most);
      assert.doesNotMatch(clipped, /\p{Surrogate}/u);
      assert.ok(monoWidth(clipped, 10) <= most * 6 + 0.01, `${clipped} in ${most}`);
    }
  }
  assert.equal(clip("模型参数", 8), "模型参数");
  assert.doesNotMatch(legible("\u2067x\u2066"), TURNING);
});
