/** Owns how finely a visitor steps through a run: which steps are stops, and at which tick each has ended. */

import { ticked } from "./lookups.js";
import { ancestor, outermost, spanOf } from "./step-tree.js";

/** @import {Step} from "./trace.d.ts" */
/** @import {Index, Run, Stop, Granularity} from "./types.d.ts" */

/**
 * From the coarsest steps to the finest.
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
 * The same run with the stops of another granularity; the tables are shared.
 * @param {Index} index
 * @param {Granularity} granularity
 * @returns {Index}
 */
export function withGranularity(index, granularity) {
  const stored = index.by_granularity.get(granularity);
  if (stored !== undefined) return stored;
  const stepped = { ...index, granularity, ...stopsOf(index, granularity) };
  index.by_granularity.set(granularity, stepped);
  return stepped;
}

/**
 * The stops of a trace in the order in which they end: what runs inside a statement ends before the
 * statement.
 * @param {Index} index
 * @param {Granularity} granularity
 * @returns {{stops: Stop[], stop_of: Map<number, number>}}
 */
function stopsOf(index, granularity) {
  const { steps } = index;
  const raisedIn = statementsThatRaised(steps);
  const isStop = (/** @type {Step} */ step) => STEP_KINDS[granularity].has(step.kind);
  const cut = steps.findLast((step) => step.ended === undefined && isStop(step));
  const chosen = steps.filter(
    (step) => isStop(step) && !raisedIn.has(step.id) && (step.ended !== undefined || step === cut),
  );
  const marks = markerOf(index);
  const stops = chosen.map((step) => stopOf(index, step, marks));
  stops.sort((a, b) => (a.tick === b.tick ? b.step.id - a.step.id : a.tick - b.tick));
  const last = stops.at(-1);
  if (last) last.tick = Number.MAX_SAFE_INTEGER; // what is settled when the run ends belongs to its last step
  return { stops, stop_of: numbersByStep(steps, stops, raisedIn) };
}

/**
 * The Nodes that ran, in the order in which they ended.
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
 * Statements that an exception left; the stop of the exception stands for each.
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
    line: span?.line ?? 1,
    end_line: span?.end_line ?? 1,
    mark: marks(step),
    statement: outermost(index.steps, step)?.id ?? step.id,
    node: ancestor(index.steps, step, ({ kind }) => kind === "node")?.node ?? null,
    within: (step.kind === "operator" && step.parent !== undefined && index.steps[step.parent]) || step,
  };
}

/**
 * The mark of a step on the timeline. Records within a step are cut out of tables that are sorted once.
 * @param {Index} index
 * @returns {(step: Step) => Stop["mark"]}
 */
function markerOf(index) {
  const gradients = byTick(index.gradients, (gradient) => gradient.tick);
  const writes = byTick(index.writes, (write) => write.tick);
  const tensors = byTick(index.tensors, (tensor) => tensor.born);
  return (step) => {
    if (step.kind === "exception") return "exception";
    if (step.kind === "node")
      return index.nodes[step.node ?? -1]?.name.endsWith("AccumulateGrad") ? "accumulate" : "node";
    if (step.kind === "statement" && gradients(step).length > 0) return "statement";
    const isOld = (/** @type {number | null} */ tensor) =>
      tensor !== null && (index.tensors[tensor]?.born ?? Infinity) < step.began;
    if (writes(step).some((write) => isOld(write.tensor))) return "write";
    const shares = tensors(step).some(
      (tensor) => tensor.died === undefined && sharesOlder(index, tensor.geometry, step.began),
    );
    return shares ? "view" : step.kind === "operator" ? "operator" : "statement";
  };
}

/**
 * Finds the records of a table within a step.
 * @template T
 * @param {T[]} table
 * @param {(record: T) => number} tickOf
 * @returns {(step: Step) => T[]}
 */
function byTick(table, tickOf) {
  const { within } = ticked(table, tickOf);
  return (step) => within(step.began - 1, step.ended ?? Infinity);
}

/**
 * @param {Index} index
 * @param {[number, {storage: number | null}][] | undefined} geometry
 * @param {number} began
 */
function sharesOlder(index, geometry, began) {
  const storage = geometry?.[0]?.[1].storage ?? null;
  return storage !== null && (index.storages[storage]?.born ?? Infinity) < began;
}

/**
 * @param {Step[]} steps
 * @param {Stop[]} stops
 * @param {Map<number, number>} raisedIn
 */
function numbersByStep(steps, stops, raisedIn) {
  const numbers = new Map(stops.map((stop, number) => [stop.step.id, number]));
  for (const [statement, exception] of raisedIn) numbers.set(statement, numbers.get(exception) ?? -1);
  for (const step of steps) {
    const numbered = ancestor(steps, step, ({ id }) => numbers.has(id));
    if (numbered !== step) numbers.set(step.id, numbers.get(numbered?.id ?? -1) ?? -1);
  }
  return numbers;
}
