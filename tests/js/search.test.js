/**
 * Tests of the search in the list of lessons, in both languages. The search ignores case and accents, sorts
 * results best first, and does not reveal answers.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, marked, search } from "../../static/js/gallery/search.js";

const lesson = (slug, title, claim, why, source, fixed) => ({
  slug,
  order: 1,
  group: "memory",
  title,
  claim,
  why,
  question: { en: "?" },
  choices: ["a", "b"],
  answer: 1,
  verdict: "wrong",
  snippet: { source, proof: [] },
  ...(fixed === undefined ? {} : { fixed: { source: fixed, proof: [] } }),
});
const LESSONS = [
  lesson(
    "clone",
    { en: "A `clone` copies", "zh-CN": "clone 会复制" },
    { en: "Café owners copy.", "zh-CN": "内存是共享的。" },
    { en: "It detaches nothing.", "zh-CN": "它什么也没断开。" },
    "x = y.clone()  # two storages\n",
  ),
  lesson(
    "detach",
    { en: "`.detach()` shares", "zh-CN": "`.detach()` 共享" },
    { en: "It copies.", "zh-CN": "它会复制内存。" },
    { en: "One Storage.", "zh-CN": "一块 Storage。" },
    "x = y.detach()\n",
    "x = y.detach().clone()\n",
  ),
];
const found = (query, language = "en") =>
  search(entriesOf(LESSONS, language), query).map(({ lesson: { slug } }) => slug);

test("an empty query finds nothing", () => {
  assert.deepEqual(found(""), []);
  assert.deepEqual(found("   "), []);
  assert.deepEqual(found("zebra"), []);
});

test("case, accents and the width of letters are ignored", () => {
  assert.deepEqual(found("CAFE"), ["clone"]);
  assert.deepEqual(found("café"), ["clone"]);
  assert.deepEqual(found("ＣＡＦＥ"), ["clone"]);
});

test("every word must occur, in any field", () => {
  assert.deepEqual(found("clone copies"), ["clone", "detach"]);
  assert.deepEqual(found("copies shares"), ["detach"]);
  assert.deepEqual(found("copies zebra"), []);
});

test("results are sorted by the field that matches: title, claim, code, reasons", () => {
  assert.deepEqual(found("detach"), ["detach", "clone"]);
  assert.deepEqual(found("clone"), ["clone", "detach"]);
});

test("Chinese needs no spaces, and each language is searched separately", () => {
  assert.deepEqual(found("内存", "zh-CN"), ["clone", "detach"]);
  assert.deepEqual(found("复制内存", "zh-CN"), ["detach"]);
  assert.deepEqual(found("内存", "en"), []);
});

test("the line of code is shown without its comment if no other field has the words", () => {
  const [first] = search(entriesOf(LESSONS, "en"), "y.clone");
  assert.equal(first?.line, "x = y.clone()");
  assert.equal(search(entriesOf(LESSONS, "en"), "storages")[0]?.line, "", "only a comment says it");
  assert.equal(search(entriesOf(LESSONS, "en"), "shares")[0]?.line, "");
});

test("the found words are marked in the text, whose spelling stays", () => {
  assert.deepEqual(marked("Café owners", ["cafe"]), ["", "Café", " owners"]);
  assert.deepEqual(marked("copies", ["zebra"]), ["copies"]);
  assert.deepEqual(marked("内存是共享的", ["共享"]), ["内存是", "共享", "的"]);
  assert.deepEqual(marked("ﬁne fine", ["fi"]), ["", "ﬁ", "ne ", "fi", "ne"], "a ligature is one letter");
  for (const text of ["x̂y", "👩‍💻 code", ""]) assert.equal(marked(text, ["y", "code"]).join(""), text);
});
