/** Owns the lines in which two sources differ, and their unified diff. Pure. */

import { common } from "../../run/common.js";

/**
 * A line of a diff. `left` and `right` are the numbers of lines in each source that precede this line.
 * @typedef {{sign: " " | "-" | "+", text: string, left: number, right: number}} DiffLine
 */

/** The number of unchanged lines around a change in a unified diff. */
const CONTEXT = 3;

/**
 * All lines of two sources as a diff. A line that both sources have occurs once, after the preceding lines
 * of only one source.
 * @param {string} left
 * @param {string} right
 * @returns {DiffLine[]}
 */
export function linesOf(left, right) {
  const [a, b] = [left.trimEnd().split("\n"), right.trimEnd().split("\n")];
  /** @type {DiffLine[]} */
  const lines = [];
  let [i, j] = [0, 0];
  for (const [toLeft, toRight] of [...common(a, b), /** @type {const} */ ([a.length, b.length])]) {
    for (; i < toLeft; i += 1) lines.push({ sign: "-", text: a[i] ?? "", left: i, right: j });
    for (; j < toRight; j += 1) lines.push({ sign: "+", text: b[j] ?? "", left: i, right: j });
    if (i < a.length) lines.push({ sign: " ", text: a[i] ?? "", left: i, right: j });
    [i, j] = [i + 1, j + 1];
  }
  return lines;
}

/**
 * The unified diff of the given lines, as `diff -u` writes it; "": there is no difference.
 * @param {DiffLine[]} lines
 */
export function unified(lines) {
  const changed = lines.flatMap(({ sign }, at) => (sign === " " ? [] : [at]));
  /** @type {[number, number][]} */
  const ranges = [];
  for (const at of changed) {
    const [from, to] = [Math.max(0, at - CONTEXT), Math.min(lines.length, at + CONTEXT + 1)];
    const before = ranges.at(-1);
    if (before !== undefined && from <= before[1]) before[1] = to;
    else ranges.push([from, to]);
  }
  const hunks = ranges.map(([from, to]) => hunkOf(lines.slice(from, to)));
  return hunks.length === 0 ? "" : ["--- before.py", "+++ after.py", ...hunks, ""].join("\n");
}

/** @param {DiffLine[]} lines */
function hunkOf(lines) {
  const span = (/** @type {"left" | "right"} */ side, /** @type {string} */ others) => {
    const count = lines.filter(({ sign }) => sign !== others).length;
    const before = lines[0]?.[side] ?? 0;
    return `${count === 0 ? before : before + 1},${count}`;
  };
  return [
    `@@ -${span("left", "+")} +${span("right", "-")} @@`,
    ...lines.map(({ sign, text }) => sign + text),
  ].join("\n");
}
