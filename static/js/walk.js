/** Owns the order in which a viewer walks a run: which steps are stops, and when each is over. */

/** @import {Step} from "./trace.d.ts" */
/** @import {Index, Stop} from "./types.d.ts" */

const WALKED = new Set(["statement", "node", "exception"]);

/**
 * The stops of a trace, in the order in which they were over: what ran inside a statement comes before the statement itself.
 * @param {Index} index
 * @returns {{stops: Stop[], stop_of: Map<number, number>}}
 */
export function stopsOf(index) {
  const { steps } = index;
  const raisedIn = statementsThatRaised(steps);
  const cut = steps.filter((step) => step.ended === undefined && WALKED.has(step.kind)).at(-1);
  const walked = steps.filter((step) => WALKED.has(step.kind) && !raisedIn.has(step.id) && (step.ended !== undefined || step === cut));
  const stops = walked.map((step) => stopOf(index, step));
  stops.sort((a, b) => (a.tick === b.tick ? b.step.id - a.step.id : a.tick - b.tick));
  const last = stops.at(-1);
  if (last) last.tick = Number.MAX_SAFE_INTEGER; // what is settled when the run ends belongs to its last step
  return { stops, stop_of: numbersByStep(steps, stops, raisedIn) };
}

/**
 * A statement that an exception left: the exception's own stop stands for it.
 * @param {Step[]} steps
 * @returns {Map<number, number>} statement to exception
 */
function statementsThatRaised(steps) {
  const raised = new Map();
  const lastChild = new Map();
  for (const step of steps) {
    if (step.parent !== undefined && WALKED.has(step.kind)) lastChild.set(step.parent, step);
  }
  for (const [parent, child] of lastChild) {
    if (child.kind === "exception" && steps[parent]?.kind === "statement") raised.set(parent, child.id);
  }
  return raised;
}

/** @param {Index} index @param {Step} step @returns {Stop} */
function stopOf(index, step) {
  const line = lineOf(index.steps, step);
  const parent = step.kind === "exception" && step.parent !== undefined ? index.steps[step.parent] : undefined;
  const ended = parent?.ended !== undefined ? parent.ended : step.ended;
  return {
    step,
    tick: ended ?? Infinity,
    kind: /** @type {Stop["kind"]} */ (step.kind),
    line: line.line,
    end_line: line.end_line,
    mark: markOf(index, step),
    statement: statementOf(index.steps, step),
  };
}

/** @param {Step[]} steps @param {Step} step */
function lineOf(steps, step) {
  let own = /** @type {Step | undefined} */ (step);
  while (own !== undefined && own.span === undefined) own = own.parent === undefined ? undefined : steps[own.parent];
  return own?.span ?? { line: 1, end_line: 1 };
}

/** The outermost statement around a step, itself included. @param {Step[]} steps @param {Step} step */
function statementOf(steps, step) {
  let own = step;
  while (own.parent !== undefined) own = /** @type {Step} */ (steps[own.parent]);
  return own.id;
}

/** @param {Index} index @param {Step} step @returns {Stop["mark"]} */
function markOf(index, step) {
  if (step.kind === "exception") return "exception";
  if (step.kind === "node") return index.nodes[step.node ?? -1]?.name.endsWith("AccumulateGrad") ? "accumulate" : "node";
  const ended = step.ended ?? Infinity;
  const within = (/** @type {number} */ tick) => tick >= step.began && tick <= ended;
  const hasBackward = index.gradients.some((gradient) => within(gradient.tick));
  if (hasBackward) return "statement";
  const writes = index.writes.filter((write) => within(write.tick) && write.tensor !== null);
  if (writes.some((write) => (index.tensors[write.tensor ?? -1]?.born ?? Infinity) < step.began)) return "write";
  const shares = index.tensors.some((tensor) => within(tensor.born) && tensor.died === undefined && sharesOlder(index, tensor.geometry, step.began));
  return shares ? "view" : "statement";
}

/** @param {Index} index @param {[number, {storage: number | null}][] | undefined} geometry @param {number} began */
function sharesOlder(index, geometry, began) {
  const storage = geometry?.[0]?.[1].storage ?? null;
  return storage !== null && (index.storages[storage]?.born ?? Infinity) < began;
}

/** @param {Step[]} steps @param {Stop[]} stops @param {Map<number, number>} raisedIn */
function numbersByStep(steps, stops, raisedIn) {
  const numbers = new Map(stops.map((stop, number) => [stop.step.id, number]));
  for (const [statement, exception] of raisedIn) numbers.set(statement, numbers.get(exception) ?? -1);
  for (const step of steps) {
    let own = /** @type {Step | undefined} */ (step);
    while (own !== undefined && !numbers.has(own.id)) own = own.parent === undefined ? undefined : steps[own.parent];
    if (!numbers.has(step.id)) numbers.set(step.id, own === undefined ? -1 : (numbers.get(own.id) ?? -1));
  }
  return numbers;
}
