import assert from "node:assert/strict";
import { test } from "node:test";

import { indentOf, startState, token } from "../../static/js/python.js";
import { StringStream } from "../../static/vendor/codemirror.js";

/** Every token of a text as "what text", and the state behind it. */
function read(text) {
  const state = startState();
  const tokens = [];
  for (const line of text.split("\n")) {
    const stream = new StringStream(line, 4, 4);
    while (!stream.eol()) {
      stream.start = stream.pos;
      const style = token(stream, state);
      assert.ok(stream.pos > stream.start, `stands still in ${line}`);
      if (style !== null) tokens.push(`${style.split(".")[0]} ${stream.current()}`);
    }
  }
  return { tokens, state };
}

const styles = (text) => read(text).tokens.filter((own) => !own.startsWith("variableName"));

test("keywords, numbers, strings, comments and the words of Python", () => {
  assert.deepEqual(styles("for i in range(0x1F, 1_0.5e-3j): # all"), ["keyword for", "keyword in", "number 0x1F", "number 1_0.5e-3j", "comment # all"]);
  assert.deepEqual(styles("x = None if self.y is True else .5"), ["null None", "keyword if", "self self", "keyword is", "bool True", "keyword else", "number .5"]);
  assert.deepEqual(styles("x.if_ = y.T.data3"), []);
  assert.deepEqual(read("def f(x): pass").tokens.slice(0, 2), ["keyword def", "variableName f"]);
  assert.deepEqual(styles("class A(B): ..."), ["keyword class", "className A"]);
  assert.deepEqual(styles("@torch.no_grad()"), ["meta @torch"]);
});

test("strings of every kind, over lines too", () => {
  assert.deepEqual(styles(`a = rb'x\\'y' + f"{b}" + ''`), ["string rb'x\\'y'", `string f"{b}"`, "string ''"]);
  assert.deepEqual(styles('a = """one # no\n  two" and\nthree""" # yes'), ['string """one # no', 'string   two" and', 'string three"""', "comment # yes"]);
  assert.deepEqual(styles("a = 'open\nif x:"), ["string 'open", "keyword if"]);
  assert.deepEqual(styles("a = 'goes \\\non' if b else c"), ["string 'goes \\", "string on'", "keyword if", "keyword else"]);
});

test("match and case where they are keywords", () => {
  assert.deepEqual(styles("match = case\nmatch(x)\nmatch x:\n    case [1, *_]:"), ["keyword match", "keyword case", "number 1"]);
});

test("a line is indented as the one before it asks", () => {
  const next = (text, after = "") => indentOf(read(text).state, after, 4);
  assert.equal(next("x = 1"), 0);
  assert.equal(next("if x:  # why"), 4);
  assert.equal(next("    for y in x:\n\n"), 8);
  assert.equal(next("    return x"), 0);
  assert.equal(next("x = {1: 2}\n  # aside"), 0);
  assert.equal(next("f(a,"), 4);
  assert.equal(next("f(a,", ")"), 0);
  assert.equal(next("if x:\n    y", "else:"), 0);
  assert.equal(next('x = """a'), null);
});
