/** Owns the alignment of two runs: pairs of lines of their sources, and pairs of their stops. Pure. */

import { common, gapsOf } from "../../run/common.js";
import { everName } from "../../run/naming/naming.js";

/** @import {Index, AlignedStep, PairedLine, Sides, Stop} from "../../run/types.d.ts" */
/** @import {Pair} from "../../run/common.js" */

/**
 * Matches string literals, which are captured, and comments. A string without a closing quote extends to the
 * end of its line, or of the source if it is triple-quoted.
 */
const STRING_OR_COMMENT =
  /("""(?:\\[^]|[^\\])*?(?:"""|$)|'''(?:\\[^]|[^\\])*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|#[^\n]*/g;

/** Matches the target or callee of a line, which is the text before the first `=`, `(` or `[`. */
const HEAD = /^[^=([]*/;

/**
 * Pairs the lines of two sources. First, equal lines are paired, apart from comments. In the gaps between
 * these pairs, lines that assign to the same target or call the same function are paired, such as `d_ =
 * d.data` with `d_ = d.detach()`. The other lines of a gap are paired one by one if both sources have
 * equally many lines there. Line numbers begin at 1.
 * @param {string} left
 * @param {string} right
 * @returns {PairedLine[]}
 */
export function pairedLines(left, right) {
  if (left > right)
    return pairedLines(right, left).map((pair) => ({ ...pair, left: pair.right, right: pair.left }));
  const [a, b] = [codeOf(left), codeOf(right)];
  const same = common(a, b);
  const changed = gapsOf(same, a.length, b.length).flatMap(([rows, columns]) =>
    standIns(
      rows.filter((i) => a[i] !== ""),
      columns.filter((j) => b[j] !== ""),
      a,
      b,
    ),
  );
  const pairs = [
    ...same.map(([i, j]) => ({ left: i + 1, right: j + 1, isSame: true })),
    ...changed.map(([i, j]) => ({ left: i + 1, right: j + 1, isSame: false })),
  ];
  return pairs.sort((one, other) => one.left - other.left);
}

/**
 * The lines of a source without comments.
 * @param {string} source
 */
function codeOf(source) {
  return source
    .replace(STRING_OR_COMMENT, (_, string) => string ?? "")
    .split("\n")
    .map((line) => line.trimEnd());
}

/**
 * Pairs the lines that differ between two sources, within the gap between two pairs of equal lines.
 * @param {number[]} rows
 * @param {number[]} columns
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Pair[]}
 */
function standIns(rows, columns, a, b) {
  const head = (/** @type {string | undefined} */ line) => HEAD.exec(line ?? "")?.[0].trim() ?? "";
  const equal = common(
    rows.map((i) => head(a[i])),
    columns.map((j) => head(b[j])),
  );
  const rest = gapsOf(equal, rows.length, columns.length).flatMap(([gapRows, gapColumns]) =>
    gapRows.length === gapColumns.length
      ? gapRows.map((i, number) => /** @type {Pair} */ ([i, gapColumns[number] ?? 0]))
      : [],
  );
  return [...equal, ...rest].map(([i, j]) => [rows[i] ?? 0, columns[j] ?? 0]);
}

/**
 * The numbers of the lines of code in each source that differ from their paired line, or have no paired
 * line.
 * @param {string} left
 * @param {string} right
 * @param {PairedLine[]} pairs
 * @returns {Sides<Set<number>>}
 */
export function otherLines(left, right, pairs) {
  const others = (/** @type {string} */ source, /** @type {"left" | "right"} */ side) => {
    const same = new Set(pairs.filter(({ isSame }) => isSame).map((pair) => pair[side]));
    return new Set(
      codeOf(source).flatMap((code, number) => (code === "" || same.has(number + 1) ? [] : [number + 1])),
    );
  };
  return { left: others(left, "left"), right: others(right, "right") };
}

/**
 * Aligns two runs as one list of steps. Two stops are paired if they are the same kind of step, of paired
 * lines, in the same round of a loop. A stop without a partner gets a step of its own, in which the other
 * run does not advance. The stops of each run keep their order. Works in slices.
 * @param {Index} left
 * @param {Index} right
 * @param {PairedLine[]} pairs of their sources
 * @returns {Generator<void, AlignedStep[]>}
 */
export function* aligningSteps(left, right, pairs) {
  const partner = new Map(pairs.map((pair) => [pair.right, String(pair.left)]));
  const pairedLeft = new Set(pairs.map((pair) => pair.left));
  const a = keysOf(left, (line) => (pairedLeft.has(line) ? String(line) : `left ${line}`));
  yield;
  const b = keysOf(right, (line) => partner.get(line) ?? `right ${line}`);
  yield;
  // Sort the two runs first, because the alignment must not depend on which run is shown on the left.
  const isTurned = left.source === right.source ? a.join("\n") > b.join("\n") : left.source > right.source;
  const steps = yield* isTurned ? merging(b, a) : merging(a, b);
  return isTurned ? steps.map((step) => ({ left: step.right, right: step.left })) : steps;
}

/**
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Generator<void, AlignedStep[]>}
 */
function* merging(a, b) {
  const pairs = common(a, b);
  yield;
  const gaps = gapsOf(pairs, a.length, b.length);
  yield;
  return gaps.flatMap(([onlyA, onlyB], number) => {
    const pair = pairs[number];
    const alone = [
      ...onlyA.map((left) => ({ left, right: null })),
      ...onlyB.map((right) => ({ left: null, right })),
    ];
    return pair === undefined ? alone : [...alone, { left: pair[0], right: pair[1] }];
  });
}

/**
 * A key for each stop of a run. Two stops of one run never have the same key, but two stops of different
 * runs do if they are to be paired.
 * @param {Index} index
 * @param {(line: number) => string} group
 * @returns {string[]}
 */
function keysOf(index, group) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return index.stops.map((stop) => {
    const key = `${group(stop.line)} ${whatOf(index, stop)}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return `${key} ${count}`;
  });
}

/**
 * The kind of a stop with its Node or operator, as a string. A statement that raised an exception has the
 * same kind as other statements.
 * @param {Index} index
 * @param {Stop} stop
 */
function whatOf(index, { kind, step }) {
  if (kind === "operator") return `operator ${step.name}`;
  const node = kind === "node" ? index.nodes[step.node ?? -1] : undefined;
  return node === undefined ? "statement" : `${node.name} ${everName(index, node.variable ?? null) ?? ""}`;
}

/**
 * For each aligned step, the stop that each run has reached; -1 before the run's first stop.
 * @param {AlignedStep[]} steps
 * @returns {Sides<number[]>}
 */
export function reachedAt(steps) {
  const so = (/** @type {"left" | "right"} */ side) => {
    let k = -1;
    return steps.map((step) => (k = step[side] ?? k));
  };
  return { left: so("left"), right: so("right") };
}
