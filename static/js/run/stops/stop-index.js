/**
 * Owns the index over the stops of a run that its timeline reads: which stops have which mark, passes,
 * findings. Pure.
 */

import { addTo, grouped } from "../grouped.js";
import { stopOfFinding } from "../facts.js";
import { perRun } from "../per-run.js";
import { firstWhere } from "../sorted.js";
import { innermost } from "../step-tree.js";

/** @import {Finding, Step} from "../trace.d.ts" */
/** @import {Index, Stop} from "../types.d.ts" */

/** @typedef {Stop["mark"]} Mark */
/** @typedef {{kind: "forward" | "backward", from: number, to: number, line: number}} Pass */
/** @typedef {{from: number, to: number}} Range stops, both included */
/**
 * @typedef {object} StopIndex
 * @property {Map<Mark, number[]>} marked stops by mark
 * @property {Pass[]} passes from the first stop to the last
 * @property {Map<number, Finding[]>} findings by the stop from which they are shown
 * @property {number[]} warned the stops of findings
 * @property {Set<number>} hinted those of hints alone
 * @property {number[]} statements the stops at which a statement is over
 * @property {Map<number, number>} reached the first stop of each line
 */

/** The index over the stops of a run. */
export const stopIndexOf = perRun((/** @type {Index} */ index) => {
  /** @type {StopIndex} */
  const stopIndex = {
    marked: new Map(),
    passes: [],
    findings: new Map(),
    warned: [],
    hinted: new Set(),
    statements: [],
    reached: new Map(),
  };
  const backward = backwardOf(index.steps);
  for (const [k, stop] of index.stops.entries()) {
    addTo(stopIndex.marked, stop.mark, k);
    if (stop.kind === "statement" || stop.kind === "exception") stopIndex.statements.push(k);
    if (stop.line > 0 && !stopIndex.reached.has(stop.line)) stopIndex.reached.set(stop.line, k);
    addToPass(stopIndex.passes, k, stop, isBackward(index.steps, stop, backward) ? "backward" : "forward");
  }
  stopIndex.findings = grouped(index.findings, (finding) => stopOfFinding(index, finding));
  stopIndex.warned = [...stopIndex.findings.keys()].sort((a, b) => a - b);
  stopIndex.hinted = new Set(
    stopIndex.warned.filter((k) => stopIndex.findings.get(k)?.every(({ severity }) => severity === "hint")),
  );
  return stopIndex;
});

/**
 * The statements that start a backward themselves, not calls of functions that do.
 * @param {Step[]} steps
 * @returns {Set<number>}
 */
function backwardOf(steps) {
  const found = new Set();
  for (const step of steps)
    if (step.kind === "node") found.add(innermost(steps, step, "statement")?.id ?? -1);
  return found;
}

/**
 * @param {Step[]} steps
 * @param {Stop} stop
 * @param {Set<number>} backward
 */
function isBackward(steps, { step, node }, backward) {
  return node !== null || backward.has(innermost(steps, step, "statement")?.id ?? -1);
}

/**
 * @param {Pass[]} passes
 * @param {number} k
 * @param {Stop} stop
 * @param {Pass["kind"]} kind
 */
function addToPass(passes, k, { line }, kind) {
  const before = passes.at(-1);
  if (before?.kind === kind && (kind === "forward" || before.line === line)) before.to = k;
  else passes.push({ kind, from: k, to: k, line });
}

/**
 * The index of the first number that is at least `least`.
 * @param {readonly number[]} sorted
 * @param {number} least
 */
export function firstFrom(sorted, least) {
  return firstWhere(sorted.length, (at) => /** @type {number} */ (sorted[at]) >= least);
}

/**
 * The next of these stops, or the previous one.
 * @param {readonly number[]} sorted
 * @param {number} k
 * @param {1 | -1} direction
 * @returns {number | undefined}
 */
export function nextOf(sorted, k, direction) {
  return direction === 1 ? sorted[firstFrom(sorted, k + 1)] : sorted[firstFrom(sorted, k) - 1];
}

/**
 * As many of these stops as can be distinguished: each at least `apart` after the previous one.
 * @param {number[]} sorted
 * @param {Range} range
 * @param {number} apart
 */
export function spaced(sorted, { from, to }, apart) {
  const shown = [];
  for (let at = firstFrom(sorted, from); at < sorted.length; ) {
    const k = /** @type {number} */ (sorted[at]);
    if (k > to) break;
    shown.push(k);
    at = firstFrom(sorted, Math.max(k + 1, k + apart));
  }
  return shown;
}

/**
 * Which mark is shown where one stands for many, the most important first.
 * @type {Mark[]}
 */
const WEIGHT = ["exception", "write", "accumulate", "node", "view", "operator", "statement"];

/**
 * The marks within a range, one for as many stops as would touch: the one with the most weight. None after
 * stop `lastVisible`.
 * @param {Index} index
 * @param {Range} range
 * @param {number} each
 * @param {number} lastVisible
 * @returns {{k: number, mark: Mark}[]}
 */
export function marksIn(index, { from, to }, each, lastVisible) {
  const { marked } = stopIndexOf(index);
  const shown = [];
  for (let begin = from - (from % each); begin <= to; begin += each) {
    const [first, end] = [Math.max(begin, from), Math.min(begin + each, to + 1)];
    shown.push(
      weightiest(marked, first, Math.min(end, lastVisible + 1)) ?? {
        k: first,
        mark: /** @type {const} */ ("statement"),
      },
    );
  }
  return shown;
}

/**
 * The most important mark of the stops from `from` up to and without `end`.
 * @param {StopIndex["marked"]} marked
 * @param {number} from
 * @param {number} end
 * @returns {{k: number, mark: Mark} | undefined}
 */
export function weightiest(marked, from, end) {
  for (const mark of WEIGHT) {
    const stops = marked.get(mark);
    const k = stops?.[firstFrom(stops, from)];
    if (k !== undefined && k < end) return { k, mark };
  }
  return undefined;
}

/**
 * The passes that overlap a range.
 * @param {Index} index
 * @param {Range} range
 * @returns {Pass[]}
 */
export function passesIn(index, { from, to }) {
  const { passes } = stopIndexOf(index);
  const shown = [];
  for (
    let at = firstWhere(passes.length, (place) => /** @type {Pass} */ (passes[place]).to >= from);
    at < passes.length && /** @type {Pass} */ (passes[at]).from <= to;
    at += 1
  )
    shown.push(/** @type {Pass} */ (passes[at]));
  return shown;
}
