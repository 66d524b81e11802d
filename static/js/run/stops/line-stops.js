/**
 * Owns the stops at a line of the source: the next or previous stop at the line, or at a breakpoint. Pure.
 */

import { addTo } from "../grouped.js";
import { perRun } from "../per-run.js";
import { innermost } from "../step-tree.js";
import { nextOf } from "./stop-index.js";

/** @import {Index} from "../types.d.ts" */

/** The maximum number of lines of one statement that count as lines of its stops. */
const MOST_LINES = 200;

/** For each line, the stops of the statements that cover the line. */
const stopsByLine = perRun((/** @type {Index} */ index) => {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  for (const [k, { line, end_line }] of index.stops.entries())
    for (let each = line; each > 0 && each <= Math.min(end_line, line + MOST_LINES); each += 1)
      addTo(found, each, k);
  return found;
});

/**
 * The next or previous stop at a line. The last stop of a line is followed by its first stop, and the other
 * way round (`isWrapped`).
 * @param {Index} index
 * @param {number} line
 * @param {number} k
 * @param {1 | -1} direction
 * @returns {{k: number, isWrapped: boolean} | null} null: the line never ran
 */
export function nextOnLine(index, line, k, direction) {
  const stops = stopsByLine(index).get(line);
  if (stops === undefined) return null;
  const next = nextOf(stops, k, direction);
  const first = /** @type {number} */ (stops.at(direction === 1 ? 0 : -1));
  return { k: next ?? first, isWrapped: next === undefined };
}

/**
 * The next or previous stop at which the run reaches one of the given lines. Of consecutive stops within one
 * statement, only the first is a stop at a breakpoint.
 * @param {Index} index
 * @param {ReadonlySet<number>} lines
 * @param {number} k
 * @param {1 | -1} direction
 * @returns {number | undefined}
 */
export function nextAtBreakpoint(index, lines, k, direction) {
  const places = [...lines]
    .map((line) => nextOf(arrivals(index).get(line) ?? [], k, direction))
    .filter((place) => place !== undefined);
  return places.length === 0 ? undefined : Math[direction === 1 ? "min" : "max"](...places);
}

/**
 * For each line, the stops at which the run reaches the line: only the first of consecutive stops within one
 * statement.
 */
const arrivals = perRun((/** @type {Index} */ index) => {
  const statementAt = (/** @type {number} */ k) => {
    const step = index.stops[k]?.step;
    return step === undefined ? undefined : innermost(index.steps, step, "statement")?.id;
  };
  return new Map(
    [...stopsByLine(index)].map(([line, stops]) => [
      line,
      stops.filter((k) => statementAt(k) === undefined || statementAt(k) !== statementAt(k - 1)),
    ]),
  );
});

/**
 * Translates line numbers (of breakpoints, for example) from the text before an edit to the text after it.
 * Numbers of lines between the first and the last changed line are dropped. If fewer than half of the lines
 * are unchanged, the result is empty.
 * @param {readonly number[]} lines
 * @param {string} before
 * @param {string} after
 */
export function carried(lines, before, after) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const least = Math.min(old.length, now.length);
  let head = 0;
  while (head < least && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < least - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  if (2 * (head + tail) < Math.max(old.length, now.length)) return [];
  return lines.flatMap((line) => {
    if (line <= head) return [line];
    return line > old.length - tail ? [line + now.length - old.length] : [];
  });
}
