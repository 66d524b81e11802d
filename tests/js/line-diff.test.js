/** Tests of the unified diff between two sources, also by applying it with `git apply`. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { linesOf, unified } from "../../static/js/lazy/compare/line-diff.js";

const long = (lines) => `${lines.join("\n")}\n`;
const numbers = Array.from({ length: 30 }, (_, k) => `x${k} = ${k}`);
const PAIRS = [
  [
    long(["import torch", "d = x.data", "d[0] = 1"]),
    long(["import torch", "d = x.detach().clone()", "d[0] = 1"]),
  ],
  [
    long(numbers),
    long(
      numbers.map((line) => (line === "x3 = 3" ? "x3 = None" : line)).filter((line) => !/^x2[56]/.test(line)),
    ),
  ],
  [long(numbers), long(["import torch", ...numbers, "print(x1)"])],
  [long(["a = 1"]), long(["b = 2", "", "c = 3"])],
];

test("changed lines are listed in order, with their signs and numbers", () => {
  const [[left, right]] = PAIRS;
  const changed = linesOf(left, right).filter(({ sign }) => sign !== " ");
  assert.deepEqual(changed, [
    { sign: "-", text: "d = x.data", left: 1, right: 1 },
    { sign: "+", text: "d = x.detach().clone()", left: 2, right: 1 },
  ]);
});

test("`git apply` turns the first source into the second with the diff", () => {
  for (const [left, right] of PAIRS) {
    const folder = mkdtempSync(join(tmpdir(), "diff-"));
    const file = join(folder, "before.py");
    writeFileSync(file, left);
    const diff = unified(linesOf(left, right)).replace("after.py", "before.py");
    execFileSync("git", ["apply", "-p0", "-"], { cwd: folder, input: diff });
    assert.equal(readFileSync(file, "utf8"), right);
  }
});

test("equal sources have no diff", () => {
  assert.equal(unified(linesOf("x = 1\n", "x = 1\n")), "");
});
