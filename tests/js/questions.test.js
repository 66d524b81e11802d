import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { isLegal, isRight, parsed } from "../../static/js/run/questions/answers.js";
import { indexOf } from "../../static/js/run/facts.js";
import { askedOf, questionsBetween } from "../../static/js/run/questions/questions.js";

const FOLDER = new URL("../questions/cases/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
const names = readdirSync(FOLDER).filter((name) => name !== "answers.json");
const plain = (value) => JSON.parse(JSON.stringify(value));

for (const name of names)
  test(`the questions about each step of ${name} are those of Python`, () => {
    const { trace, between } = read(name);
    const index = indexOf({ trace });
    assert.ok(between.length > 3);
    for (const { after, until, asked } of between)
      assert.deepEqual(plain(questionsBetween(index, after, until)), asked, `${after} to ${until}`);
  });

for (const name of names)
  test(`the questions about stale saved tensors of ${name} are those of Python`, () => {
    const { trace, stale } = read(name);
    const index = indexOf({ trace });
    for (const [question, asked] of stale) assert.deepEqual(plain(askedOf(index, question)), asked);
  });

test("the cases contain every kind of question", () => {
  const kinds = names.flatMap((name) =>
    read(name).between.flatMap(({ asked }) => asked.map(({ question }) => question.kind)),
  );
  assert.deepEqual([...new Set(kinds)].sort(), [
    "cell",
    "counter",
    "culprit",
    "grad",
    "grad_fn",
    "node",
    "raises",
    "raising_line",
    "sends",
    "value",
    "version",
  ]);
});

test("a typed answer is parsed and judged", () => {
  for (const { legal, right, answers } of read("answers.json").cases)
    for (const [text, meant, is] of answers) {
      const answer = parsed(legal, text);
      assert.deepEqual(answer, meant, text);
      assert.equal(answer !== null && isRight({ legal, right }, answer), is, text);
    }
});

test("an answer that no form allows is not legal", () => {
  for (const [legal, answer] of read("answers.json").forged)
    assert.equal(isLegal(legal, answer), false, JSON.stringify(answer));
});
