import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "acorn";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const STATIC = join(HERE, "../../static/js");
/**
 * The list of words that identifiers must not contain any more, with replacements. The Python test
 * tests/test_retired_words.py uses the same list.
 */
const WORDS = JSON.parse(readFileSync(join(HERE, "../retired_words.json"), "utf8"));

const WHOLE = { ...WORDS.everywhere, ...WORDS.javascript };

/** The proposed replacement, if an identifier or one of its words is in the list of retired words. */
function retired(name) {
  const words = (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
  const whole = Object.hasOwn(WHOLE, name.toLowerCase()) ? WHOLE[name.toLowerCase()] : undefined;
  return whole ?? WORDS.part[words.find((word) => Object.hasOwn(WORDS.part, word))];
}

/** The identifiers in a module, including those of types, each with its line. */
function* identifiers(text) {
  const comments = [];
  const options = { ecmaVersion: "latest", sourceType: "module", locations: true, onComment: comments };
  const nodes = [parse(text, options)];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (/Identifier$/.test(node.type)) yield [node.loc.start.line, node.name];
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === "string" && child.loc !== undefined) nodes.push(child);
      }
    }
  }
  for (const { value, loc } of comments) {
    for (const tag of value.matchAll(/@(?:param|property|template)\s+(?:\{[^@]*\}\s+)?\[?(\w+)/g))
      yield [loc.start.line, tag[1]];
  }
}

test("no identifier of the JavaScript uses a retired word", () => {
  const found = [];
  for (const folder of [STATIC, HERE]) {
    for (const path of readdirSync(folder, { recursive: true })) {
      if (!/\.m?js$/.test(path) || /node_modules|fixtures\//.test(path)) continue;
      for (const [line, name] of identifiers(readFileSync(join(folder, path), "utf8"))) {
        if (retired(name) !== undefined) found.push(`${path}:${line}: ${name} is ${retired(name)}`);
      }
    }
  }
  assert.deepEqual(found, []);
});
