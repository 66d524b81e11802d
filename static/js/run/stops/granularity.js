/** Owns the granularity of stepping through a run: at which of the recorded steps the player stops. */

import { placeOfStep } from "../places.js";
import { finished } from "../slices.js";
import { firstWhere, leastIn } from "../sorted.js";
import { innermost, outermost, spanOf } from "../step-tree.js";

/** @import {Step} from "../trace.d.ts" */
/** @import {Index, Run, Stop, Granularity} from "../types.d.ts" */

/**
 * All granularities, from coarse to fine.
 * @type {readonly Granularity[]}
 */
export const GRANULARITIES = ["line", "node", "operator"];

/** @type {Record<Granularity, Set<string>>} */
const STEP_KINDS = {
  line: new Set(["statement", "exception"]),
  node: new Set(["statement", "node", "exception"]),
  operator: new Set(["statement", "node", "exception", "operator"]),
};

/**
 * The index of the same run with the stops of another granularity. The indexes of a run at different
 * granularities share their tables.
 * @param {Index} index
 * @param {Granularity} granularity
 * @returns {Index}
 */
export function withGranularity(index, granularity) {
  return finished(stopping(index, granularity));
}

/**
 * Like `withGranularity`, in slices.
 * @param {Index} index
 * @param {Granularity} granularity
 * @returns {Generator<void, Index>}
 */
export function* stopping(index, granularity) {
  const stored = index.by_granularity.get(granularity);
  if (stored !== undefined) return stored;
  const stepped = { ...index, granularity, ...(yield* stopsOf(index, granularity)) };
  index.by_granularity.set(granularity, stepped);
  return stepped;
}

/**
 * The stops of a trace, sorted by the ticks at which their steps ended. Steps within a statement therefore
 * come before the statement.
 * @param {Index} index
 * @param {Granularity} granularity
 * @returns {Generator<void, {stops: Stop[], stop_of: Map<number, number>}>}
 */
function* stopsOf(index, granularity) {
  const { steps } = index;
  const raisedIn = statementsThatRaised(steps);
  const isStop = (/** @type {Step} */ step) => STEP_KINDS[granularity].has(step.kind);
  const cut = steps.findLast((step) => step.ended === undefined && isStop(step));
  yield;
  const chosen = steps.filter(
    (step) => isStop(step) && !raisedIn.has(step.id) && (step.ended !== undefined || step === cut),
  );
  const marks = yield* markerOf(index);
  /** @type {Stop[]} */
  const stops = [];
  for (const step of chosen) {
    stops.push(stopOf(index, step, marks));
    if (stops.length % MANY === 0) yield;
  }
  stops.sort((a, b) => (a.tick === b.tick ? b.step.id - a.step.id : a.tick - b.tick));
  const last = stops.at(-1);
  // Changes that are recorded at the end of the run belong to its last stop.
  if (last) last.tick = Number.MAX_SAFE_INTEGER;
  yield;
  return { stops, stop_of: yield* numbersByStep(steps, stops, raisedIn) };
}

/** Work in slices may be interrupted after this number of steps. */
const MANY = 2000;

/**
 * The runs of Nodes by backward, sorted by the ticks at which they ended.
 * @param {Step[]} steps
 * @returns {Run[]}
 */
export function runsOf(steps) {
  /** @type {Run[]} */
  const runs = [];
  for (const step of steps) {
    if (step.kind === "node" && step.node !== undefined && step.ended !== undefined)
      runs.push({
        node: step.node,
        began: step.began,
        ended: step.ended,
        statement: outermost(steps, step)?.id ?? step.id,
      });
  }
  return runs.sort((a, b) => a.ended - b.ended);
}

/**
 * Statements that raised an exception. The player stops at the exception instead of the statement.
 * @param {Step[]} steps
 * @returns {Map<number, number>} statement to exception
 */
function statementsThatRaised(steps) {
  const raised = new Map();
  const lastChild = new Map();
  for (const step of steps) {
    if (step.parent !== undefined && STEP_KINDS.node.has(step.kind)) lastChild.set(step.parent, step);
  }
  for (const [parent, child] of lastChild) {
    if (child.kind === "exception" && steps[parent]?.kind === "statement") raised.set(parent, child.id);
  }
  return raised;
}

/**
 * @param {Index} index
 * @param {Step} step
 * @param {(step: Step) => Stop["mark"]} marks
 * @returns {Stop}
 */
function stopOf(index, step, marks) {
  const span = spanOf(index.steps, step);
  const parent =
    step.kind === "exception" && step.parent !== undefined ? index.steps[step.parent] : undefined;
  const ended = parent?.ended !== undefined ? parent.ended : step.ended;
  return {
    step,
    tick: ended ?? Infinity,
    kind: /** @type {Stop["kind"]} */ (step.kind),
    span: span ?? null,
    line: span?.file == null ? (span?.line ?? 1) : 0,
    end_line: span?.file == null ? (span?.end_line ?? 1) : 0,
    place: span === undefined ? 1 : placeOfStep(index, step.id),
    mark: marks(step),
    statement: outermost(index.steps, step)?.id ?? step.id,
    node: innermost(index.steps, step, "node")?.node ?? null,
    within: (step.kind === "operator" && step.parent !== undefined && index.steps[step.parent]) || step,
  };
}

/**
 * Returns a function that gives the timeline mark of a step: whether the step wrote to an older tensor, made
 * a view, or ran a Node. The records of a step are found by binary search in sorted tables.
 * @param {Index} index
 * @returns {Generator<void, (step: Step) => Stop["mark"]>}
 */
function* markerOf({ gradients, writes, tensors, nodes, storages }) {
  const bornAt = (/** @type {number | null} */ tensor) =>
    tensor === null ? Infinity : (tensors[tensor]?.born ?? Infinity);
  const received = leastWithin(
    gradients,
    (gradient) => gradient.tick,
    () => 0,
  );
  yield;
  const written = leastWithin(
    writes,
    (write) => write.tick,
    (write) => bornAt(write.tensor),
  );
  yield;
  const shared = leastWithin(
    tensors,
    (tensor) => tensor.born,
    ({ died, geometry }) =>
      died === undefined ? (storages[geometry?.[0]?.[1].storage ?? -1]?.born ?? Infinity) : Infinity,
  );
  yield;
  return (step) => {
    if (step.kind === "exception") return "exception";
    if (step.kind === "node")
      return nodes[step.node ?? -1]?.name.endsWith("AccumulateGrad") ? "accumulate" : "node";
    if (step.kind === "statement" && received(step) !== Infinity) return "statement";
    if (written(step) < step.began) return "write";
    return shared(step) < step.began ? "view" : step.kind === "operator" ? "operator" : "statement";
  };
}

/**
 * Returns a function that gives the minimum of `value` over the records of a table that belong to a step;
 * Infinity if no record does.
 * @template T
 * @param {T[]} table
 * @param {(record: T) => number} tickOf
 * @param {(record: T) => number} value
 * @returns {(step: Step) => number}
 */
function leastWithin(table, tickOf, value) {
  const sorted = [...table].sort((a, b) => tickOf(a) - tickOf(b));
  const ticks = Float64Array.from(sorted, tickOf);
  const least = leastIn(sorted.map(value));
  const from = (/** @type {number} */ tick) => firstWhere(ticks.length, (at) => (ticks[at] ?? 0) >= tick);
  return (step) => least(from(step.began), from((step.ended ?? Infinity) + 1));
}

/**
 * @param {Step[]} steps
 * @param {Stop[]} stops
 * @param {Map<number, number>} raisedIn
 * @returns {Generator<void, Map<number, number>>}
 */
function* numbersByStep(steps, stops, raisedIn) {
  const numbers = new Map(stops.map((stop, number) => [stop.step.id, number]));
  for (const [statement, exception] of raisedIn) numbers.set(statement, numbers.get(exception) ?? -1);
  yield;
  for (const { id, parent } of steps) {
    if (!numbers.has(id)) numbers.set(id, numbers.get(parent ?? -1) ?? -1);
    if (id % (10 * MANY) === 0) yield;
  }
  return numbers;
}
