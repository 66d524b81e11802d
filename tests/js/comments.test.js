/**
 * Checks the format of comments, which the formatter does not: at most 110 columns, and text above JSDoc
 * tags.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";

const COLUMNS = 110;
const HERE = fileURLToPath(new URL(".", import.meta.url));
const FOLDERS = [join(HERE, "../../static/js"), HERE];
const TAG_BEHIND_TEXT = /\S .*@(?:param|returns|type|typedef|property|template|import) /;
const COMMENT_LINE = /^\s*(?:\/\*|\*|\/\/)|\s\/\/ /;

/**
 * The path and the source of each JavaScript module of the project, without libraries and the bundle.
 * @returns {[string, string][]}
 */
function modules() {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const ours = paths.filter((path) => /\.m?js$/.test(path) && !/node_modules|fixtures/.test(path));
  return ours.map((path) => [relative(join(HERE, "../.."), path), readFileSync(path, "utf8")]);
}

test("no comment is wider than 110 columns", () => {
  const wide = [];
  for (const [path, text] of modules()) {
    for (const [at, line] of text.split("\n").entries()) {
      if (line.length > COLUMNS && COMMENT_LINE.test(line) && !/["'`/]\S* ?\/\/ |https?:/.test(line)) {
        wide.push(`${path}:${at + 1}`);
      }
    }
  }
  assert.deepEqual(wide, []);
});

test("the text of a JSDoc comment comes before its tags, and each tag begins a line", () => {
  const crowded = [];
  for (const [path, text] of modules()) {
    for (const [at, line] of text.split("\n").entries()) {
      const comment = /^\s*\/?\*+ (.*?)(?: \*\/)?$/.exec(line)?.[1] ?? "";
      if (TAG_BEHIND_TEXT.test(comment.replaceAll(/`[^`]*`/g, ""))) crowded.push(`${path}:${at + 1}`);
    }
  }
  assert.deepEqual(crowded, []);
});
