/**
 * Owns the questions that can be asked about the part of a run between two ticks, the best first, with their
 * legal and right answers. Pure; the server finds the same answers for rooms (`app/questions/truth.py`).
 */

import { at } from "../facts.js";
import { truthOf } from "./truth.js";
import { changedCells, isThere, leafOf, namedAt, realCells, runsBetween, spoiltBy } from "./truth-lookups.js";

/** @import {Index} from "../types.d.ts" */
/** @import {Asked, Question} from "./asked.d.ts" */

/** The maximum number of questions of one kind, such as questions about a `grad`. */
const MOST = 3;

/** Parts of the names of operators that return random or uninitialized values. */
const RANDOM = ["rand", "normal", "uniform", "bernoulli", "multinomial", "dropout", "exponential", "empty"];

/** @typedef {{index: Index, after: number, until: number}} Between */

/**
 * The questions about the run after the tick `after` and up to the tick `until` whose answers the trace
 * contains.
 * @param {Index} index
 * @param {number} after
 * @param {number} until
 * @returns {Asked[]}
 */
export function questionsBetween(index, after, until) {
  const between = { index, after, until };
  return asking(between)
    .map((about) => askedOf(index, /** @type {Question} */ ({ after, until, ...about })))
    .filter((asked) => asked !== null);
}

/**
 * A question with its legal and right answers; null if the right answers do not follow from the trace.
 * @param {Index} index
 * @param {Question} question
 * @returns {Asked | null}
 */
export function askedOf(index, question) {
  const truth = truthOf(index, question);
  return truth === null ? null : { question, ...truth };
}

/**
 * @param {Between} between
 * @returns {Omit<Question, "after" | "until">[]}
 */
function asking(between) {
  const { index, after } = between;
  const isFirst = !index.steps.some(({ kind, ended }) => kind === "statement" && (ended ?? after) < after);
  return [
    ...(isFirst ? [{ kind: /** @type {const} */ ("raising_line") }] : []),
    ...ofStale(between),
    ...ofNodes(between),
    ...ofGrads(between),
    ...ofWrites(between),
    ...ofNew(between),
    { kind: /** @type {const} */ ("raises") },
  ];
}

/**
 * The question which line overwrote a saved tensor, if a Node that runs between the ticks needs this tensor.
 * @param {Between} between
 * @returns {Omit<Question, "after" | "until">[]}
 */
function ofStale({ index, after, until }) {
  const began = new Map(
    index.steps
      .filter(({ kind, began }) => kind === "node" && after < began && began <= until)
      .map((step) => [step.node, step.began]),
  );
  const saved = index.saved_tensors.find((saved) => spoiltBy(saved, began.get(saved.node) ?? -1) !== null);
  return saved === undefined ? [] : [{ kind: "culprit", saved: saved.id }];
}

/**
 * @param {Between} between
 * @returns {Omit<Question, "after" | "until">[]}
 */
function ofNodes({ index, after, until }) {
  const runs = runsBetween(index, after, until);
  if (runs.length === 0) return [];
  const sent = index.gradients.find(
    ({ node, edge, tick }) =>
      runs.length === 1 && node === runs[0]?.node && edge !== null && after < tick && tick <= until,
  );
  return [
    { kind: "node" },
    ...(sent === undefined
      ? []
      : [{ kind: /** @type {const} */ ("sends"), node: sent.node ?? -1, edge: sent.edge ?? -1 }]),
  ];
}

/**
 * Questions about the `grad` of leaves that received a gradient, and of the first named non-leaf `y`,
 * because `y.grad` is None.
 * @param {Between} between
 * @returns {Omit<Question, "after" | "until">[]}
 */
function ofGrads({ index, after, until }) {
  const received = new Set(runsBetween(index, after, until).map(({ node }) => leafOf(index, node)));
  if ([...received].every((leaf) => leaf === null)) return [];
  const named = namedAt(index, until);
  const leaves = named.filter((tensor) => received.has(tensor));
  const other = named.find(
    (tensor) =>
      at(index.tensors[tensor]?.requires_grad, until) === true &&
      at(index.tensors[tensor]?.is_leaf, until) === false,
  );
  return [...leaves.slice(0, MOST), ...(leaves.length === 0 || other === undefined ? [] : [other])].map(
    (tensor) => ({ kind: "grad", tensor }),
  );
}

/**
 * @param {Between} between
 * @returns {Omit<Question, "after" | "until">[]}
 */
function ofWrites({ index, after, until }) {
  const changed = changedCells(index, after, until);
  if (changed?.size === 0) return [];
  if (changed === null) return [{ kind: "counter" }];
  const values = isRandom({ index, after, until }) ? [] : [...changed].slice(0, MOST);
  /** @type {Set<number>} */
  const counters = new Set();
  for (const tensor of namedAt(index, after)) {
    const { geometry, version_counter, born = 0, died } = index.tensors[tensor] ?? {};
    const counter = at(version_counter, after);
    const isWritten = changed.has(at(geometry, after)?.storage ?? -1);
    if (isWritten && typeof counter === "number" && isThere(born, died, until)) counters.add(counter);
  }
  return [
    { kind: "counter" },
    { kind: "cell" },
    ...values.map(([storage, places]) => ({
      kind: /** @type {const} */ ("value"),
      storage,
      cell: places[0] ?? 0,
    })),
    ...[...counters].slice(0, MOST).map((counter) => ({ kind: /** @type {const} */ ("version"), counter })),
  ];
}

/**
 * Questions about the first value of new storages with a name, and about named tensors with a new `grad_fn`.
 * @param {Between} between
 * @returns {Omit<Question, "after" | "until">[]}
 */
function ofNew(between) {
  const { index, after, until } = between;
  if (isRandom(between)) return [];
  const named = namedAt(index, until);
  /** @type {Map<number, number>} */
  const cells = new Map();
  for (const tensor of named) {
    const { storage = null, storage_offset = null } = at(index.tensors[tensor]?.geometry, until) ?? {};
    if (storage === null || storage_offset === null || cells.size === MOST) continue;
    const born = index.storages[storage]?.born ?? 0;
    const isNew = after < born && born <= until && !cells.has(storage);
    const count = realCells(index, storage, until)?.values.length ?? 0;
    if (isNew && storage_offset < count) cells.set(storage, storage_offset);
  }
  const differing = named.filter(
    (tensor) => gradFnOf(index, tensor, after) !== gradFnOf(index, tensor, until),
  );
  return [
    ...[...cells].map(([storage, cell]) => ({ kind: /** @type {const} */ ("value"), storage, cell })),
    ...differing.slice(0, MOST).map((tensor) => ({ kind: /** @type {const} */ ("grad_fn"), tensor })),
  ];
}

/**
 * The id of the Node that is a tensor's `grad_fn`; null if there is none, "" if the tensor does not exist
 * yet.
 * @param {Index} index
 * @param {number} id
 * @param {number} tick
 */
function gradFnOf(index, id, tick) {
  const tensor = index.tensors[id];
  if (tensor === undefined || tensor.born > tick) return "";
  const found = at(tensor.grad_fn, tick);
  return found?.kind === "grad_fn" ? found.node : null;
}

/**
 * Whether an operator that returns random or uninitialized values ran between two ticks.
 * @param {Between} between
 */
function isRandom({ index, after, until }) {
  return index.steps.some(
    ({ kind, began, name = "" }) =>
      kind === "operator" && after < began && began <= until && RANDOM.some((word) => name.includes(word)),
  );
}
