/** Owns the loops of a snippet and the stops at which each iteration (round) begins. Pure. */

import { perRun } from "../per-run.js";
import { upTo } from "../sorted.js";
import { parentOf } from "../step-tree.js";
import { firstFrom } from "./stop-index.js";

/** @import {Range} from "./stop-index.js" */
/** @import {Index, Loop, Stop} from "../types.d.ts" */

const HEADER = /^\s*(?:async\s+)?(?:for|while)\b/;
/**
 * Matches the tokens that determine where a logical line of Python ends: strings, comments, brackets, a
 * backslash before a line end, and the line end.
 */
const TOKEN =
  /("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*(?:\1|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|#[^\n]*|\\\n|[()[\]{}]|\n/g;

/** The executions of loops with at least two iterations (rounds), sorted by their first stop. */
export const loopsOf = perRun((/** @type {Index} */ index) =>
  entered(index).filter((loop) => loop.rounds.length > 1),
);

/**
 * The execution of a loop that covers the most stops of the run.
 * @param {Index} index
 * @returns {Loop | undefined}
 */
export function mainLoop(index) {
  return loopIn(index, { from: 0, to: index.stops.length - 1 });
}

/**
 * The execution of a loop that covers the most stops of a range, among those with two iterations that begin
 * in the range.
 * @param {Index} index
 * @param {Range} range
 * @returns {Loop | undefined}
 */
export function loopIn(index, { from, to }) {
  let [best, longest] = [/** @type {Loop | undefined} */ (undefined), 0];
  for (const loop of loopsOf(index)) {
    const length = Math.min(loop.end, to + 1) - Math.max(loop.rounds[0] ?? 0, from);
    if (length <= longest) continue;
    const first = firstFrom(loop.rounds, from);
    if ((loop.rounds[first + 1] ?? Infinity) <= to) [best, longest] = [loop, length];
  }
  return best;
}

/**
 * The maximum number of iterations of any loop in the run.
 * @param {Index} index
 */
export function mostRounds(index) {
  return loopsOf(index).reduce((most, loop) => Math.max(most, loop.rounds.length), 0);
}

/**
 * The innermost loop that contains a stop; undefined if there is none.
 * @param {Index} index
 * @param {number} k
 * @returns {Loop | undefined}
 */
export function loopAt(index, k) {
  return loopsOf(index).findLast((loop) => (loop.rounds[0] ?? Infinity) <= k && k < loop.end);
}

/**
 * The number of the loop's iteration that contains a stop, from 0.
 * @param {Loop} loop
 * @param {number} k
 */
export function roundAt(loop, k) {
  return firstFrom(loop.rounds, k + 1) - 1;
}

/**
 * The stop of the same statement in the next or previous iteration of the innermost loop, or the first stop
 * of that iteration if the iteration does not execute the statement.
 * @param {Index} index
 * @param {number} k
 * @param {1 | -1} direction
 * @returns {number | undefined}
 */
export function inOtherRound(index, k, direction) {
  const loop = loopAt(index, k);
  if (loop === undefined) return undefined;
  const round = roundAt(loop, k);
  const first = loop.rounds[round + direction];
  if (first === undefined) return undefined;
  const same = (/** @type {Stop | undefined} */ a, /** @type {Stop | undefined} */ b) =>
    a?.place === b?.place && a?.kind === b?.kind && a?.step.name === b?.step.name;
  const before = index.stops.slice(loop.rounds[round], k).filter((stop) => same(stop, index.stops[k])).length;
  const last = loop.rounds[round + direction + 1] ?? loop.end;
  let number = -1;
  for (let at = first; at < last; at += 1) {
    if (same(index.stops[at], index.stops[k])) number += 1;
    if (number === before) return at;
  }
  return first;
}

/**
 * @param {Index} index
 * @returns {Loop[]}
 */
function entered(index) {
  const lines = index.source.split("\n");
  const starts = startsOf(index.source);
  const ends = new Map(
    starts
      .filter((number) => HEADER.test(lines[number] ?? ""))
      .map((number) => [number + 1, endOf(lines, starts, number)]),
  );
  const resumed = resumedFrames(index);
  /** @type {Loop[]} */
  const loops = [];
  /**
   * For each frame, the stop of its latest statement so far, and the loops around this statement, outermost
   * first.
   * @type {Map<number, {last: number, open: Loop[]}>}
   */
  const frames = new Map();
  const nextInFrame = new Float64Array(index.stops.length).fill(Infinity);
  // By stop, the latest tick up to the stop at which a statement began.
  const begun = new Float64Array(index.stops.length);
  let latest = -1;
  for (const [k, stop] of index.stops.entries()) {
    if (stop.kind === "statement") latest = Math.max(latest, stop.step.began);
    begun[k] = latest;
    const frame = stop.step.frame ?? 0;
    if (stop.kind !== "statement" || resumed.has(frame)) continue;
    const { last, open } = frames.get(frame) ?? { last: -1, open: [] };
    if (last >= 0) nextInFrame[last] = k;
    const isIn = (/** @type {Loop} */ loop) => stop.line >= loop.line && stop.line <= loop.last_line;
    for (const loop of open) if (!isIn(loop)) loop.end = k;
    const still = open.filter(isIn);
    frames.set(frame, { last: k, open: still });
    const last_line = ends.get(stop.line) ?? 0;
    if (last_line === 0 || isBehindHeader(lines, stop)) continue;
    const going = still.find((loop) => loop.line === stop.line);
    if (going) going.rounds.push(k);
    else {
      const loop = { line: stop.line, last_line, frame, rounds: [k], end: index.stops.length };
      loops.push(loop);
      still.push(loop);
    }
  }
  for (const loop of loops) {
    const over = index.frames[loop.frame]?.ended ?? Infinity;
    loop.end = Math.min(loop.end, upTo(begun, over));
    dropTheLastLook(loop, nextInFrame);
  }
  return loops;
}

/**
 * Whether a statement follows other code on its line, as the body of a loop written on the line of its
 * header does.
 * @param {string[]} lines
 * @param {Stop} stop
 */
function isBehindHeader(lines, { line, step }) {
  return (lines[line - 1] ?? "").slice(0, step.span?.column ?? 0).trim() !== "";
}

/**
 * Drops the last evaluation of the loop's header, which ends the loop instead of beginning an iteration.
 * @param {Loop} loop
 * @param {Float64Array} nextInFrame by stop, the next stop of the same frame
 */
function dropTheLastLook(loop, nextInFrame) {
  const isInside = (nextInFrame[loop.rounds.at(-1) ?? 0] ?? Infinity) < loop.end;
  if (!isInside && loop.rounds.length > 1) loop.end = /** @type {number} */ (loop.rounds.pop());
}

/**
 * Frames of generators and coroutines. The trace has a separate frame for each resumption and does not say
 * which frames belong to the same generator, so iterations of their loops are unknown.
 * @param {Index} index
 * @returns {Set<number>}
 */
function resumedFrames({ steps }) {
  const resumed = new Set();
  for (const step of steps) {
    const call = parentOf(steps, step);
    if (call?.kind === "call" && call.span === undefined && step.frame !== undefined) resumed.add(step.frame);
  }
  return resumed;
}

/**
 * The lines at which a logical line of Python begins. A line within brackets or within a string continues
 * its logical line.
 * @param {string} source
 * @returns {number[]} from 0
 */
function startsOf(source) {
  const starts = [0];
  let [line, depth] = [0, 0];
  for (const [token] of source.matchAll(TOKEN)) {
    line += token.split("\n").length - 1;
    if ("([{".includes(token)) depth += 1;
    else if (")]}".includes(token)) depth = Math.max(0, depth - 1);
    else if (token === "\n" && depth === 0) starts.push(line);
  }
  return starts;
}

/**
 * The last line of a loop: the last of the lines after its header that are indented deeper than the header.
 * @param {string[]} lines
 * @param {number[]} starts
 * @param {number} header from 0
 * @returns {number} from 1
 */
function endOf(lines, starts, header) {
  const depth = (/** @type {string} */ text) => text.search(/\S/);
  const headerDepth = depth(lines[header] ?? "");
  for (let at = firstFrom(starts, header + 1); at < starts.length; at += 1) {
    const text = lines[starts[at] ?? 0] ?? "";
    if (text.trim() === "" || text.trim().startsWith("#")) continue;
    if (depth(text) <= headerDepth) return lastFilled(lines, starts[at] ?? 0);
  }
  return lastFilled(lines, lines.length);
}

/**
 * The last line before a given line that is neither blank nor a comment.
 * @param {string[]} lines
 * @param {number} before from 0
 * @returns {number} from 1
 */
function lastFilled(lines, before) {
  return lines.slice(0, before).findLastIndex((text) => !/^\s*(#|$)/.test(text)) + 1;
}
