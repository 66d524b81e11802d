/**
 * Owns the index of a run's stops for the timeline: their marks, the passes (forward, backward, update) and
 * the findings. Pure.
 */

import { addTo, grouped } from "../grouped.js";
import { at, stopOfFinding } from "../facts.js";
import { perRun } from "../per-run.js";
import { firstWhere } from "../sorted.js";
import { innermost } from "../step-tree.js";

/** @import {Finding, Step, Tensor} from "../trace.d.ts" */
/** @import {Index, Stop} from "../types.d.ts" */

/** @typedef {Stop["mark"]} Mark */
/** @typedef {"forward" | "backward" | "update"} PassKind */
/** @typedef {{kind: PassKind, from: number, to: number, line: number}} Pass */
/** @typedef {{from: number, to: number}} Range stops, both included */
/**
 * @typedef {object} StopIndex
 * @property {Map<Mark, number[]>} marked stops by mark
 * @property {Pass[]} passes from the first stop to the last
 * @property {Map<number, Finding[]>} findings by the stop from which they are shown
 * @property {number[]} warned the stops of findings
 * @property {Set<number>} hinted the stops with hints only
 * @property {number[]} statements the stops at the end of a statement
 * @property {Map<number, number>} reached the first stop of each line
 */

/** The marks, passes and findings of a run, by stop. */
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
  const kinds = passKinds(index);
  for (const [k, stop] of index.stops.entries()) {
    addTo(stopIndex.marked, stop.mark, k);
    if (stop.kind === "statement" || stop.kind === "exception") stopIndex.statements.push(k);
    if (stop.line > 0 && !stopIndex.reached.has(stop.line)) stopIndex.reached.set(stop.line, k);
    addToPass(stopIndex.passes, k, stop, kinds[k] ?? "forward");
  }
  stopIndex.findings = grouped(index.findings, (finding) => stopOfFinding(index, finding));
  stopIndex.warned = [...stopIndex.findings.keys()].sort((a, b) => a - b);
  stopIndex.hinted = new Set(
    stopIndex.warned.filter((k) => stopIndex.findings.get(k)?.every(({ severity }) => severity === "hint")),
  );
  return stopIndex;
});

/**
 * For each stop, the kind of pass that contains it. Statements next to an update that run no operator while
 * grad mode is off belong to the update, such as the header of a loop over parameters.
 * @param {Index} index
 * @returns {PassKind[]}
 */
function passKinds(index) {
  const { steps, stops } = index;
  const statementOf = (/** @type {Step | undefined} */ step) => step && innermost(steps, step, "statement");
  const [backward, ran] = [new Set(), new Set()];
  for (const step of steps) {
    if (step.kind === "node") backward.add(statementOf(step));
    else if (step.kind === "operator") ran.add(statementOf(step));
  }
  const update = new Set(updatesOf(index).map((step) => statementOf(steps[step])));
  const statements = stops.map(({ step }) => statementOf(step));
  const kinds = stops.map(({ node }, k) =>
    node !== null || backward.has(statements[k])
      ? "backward"
      : update.has(statements[k])
        ? "update"
        : "forward",
  );
  const isBeside = (/** @type {number} */ k) =>
    kinds[k] === "forward" && statements[k]?.grad_enabled === false && !ran.has(statements[k]);
  for (const way of [1, -1])
    for (let k = way > 0 ? 0 : kinds.length - 1; k in kinds; k += way)
      if (kinds[k] === "update" && isBeside(k + way)) kinds[k + way] = "update";
  return kinds;
}

/**
 * The steps of operators that updated a parameter: they wrote to the storage of a leaf that has a gradient.
 * @param {Index} index
 * @returns {number[]}
 */
function updatesOf({ lookups, writes }) {
  /** @type {Map<number, Tensor[]>} */
  const leaves = new Map();
  return writes.flatMap(({ step, storage, tick }) => {
    const inStorage =
      leaves.get(storage) ??
      lookups
        .tensors_in()(storage)
        .filter(({ grad = [] }) => grad.length > 0);
    leaves.set(storage, inStorage);
    const isUpdate = inStorage.some(
      ({ geometry, is_leaf, grad }) =>
        at(is_leaf, tick) === true && at(grad, tick) != null && at(geometry, tick)?.storage === storage,
    );
    return step != null && isUpdate ? [step] : [];
  });
}

/**
 * @param {Pass[]} passes
 * @param {number} k
 * @param {Stop} stop
 * @param {Pass["kind"]} kind
 */
function addToPass(passes, k, { line }, kind) {
  const before = passes.at(-1);
  if (before?.kind === kind && (kind !== "backward" || before.line === line)) before.to = k;
  else passes.push({ kind, from: k, to: k, line });
}

/**
 * The index of the first number of a sorted list that is at least `least`.
 * @param {readonly number[]} sorted
 * @param {number} least
 */
export function firstFrom(sorted, least) {
  return firstWhere(sorted.length, (at) => /** @type {number} */ (sorted[at]) >= least);
}

/**
 * The nearest of the given stops after stop `k` (direction 1) or before it (-1).
 * @param {readonly number[]} sorted
 * @param {number} k
 * @param {1 | -1} direction
 * @returns {number | undefined}
 */
export function nextOf(sorted, k, direction) {
  return direction === 1 ? sorted[firstFrom(sorted, k + 1)] : sorted[firstFrom(sorted, k) - 1];
}

/**
 * Selects stops within a range so that each selected stop is at least `apart` stops after the previous one.
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
 * The timeline marks, most important first. Where several stops share a mark, the most important one is
 * shown.
 * @type {Mark[]}
 */
const WEIGHT = ["exception", "write", "accumulate", "node", "view", "operator", "statement"];

/**
 * Divides a range into intervals of `each` stops, and gives the most important mark of each interval. Stops
 * after `lastVisible` count as plain statements.
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
 * The most important mark of the stops from `from` to `end` (exclusive).
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
 * The passes (forward, backward, update) that overlap a range of stops.
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
