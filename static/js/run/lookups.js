/**
 * Owns the look-ups over a run's tables, each made once: what happened between two ticks, and what belongs to
 * what. Pure.
 */

import { firstWhere } from "./sorted.js";
import { lineOfStep, outermost } from "./step-tree.js";

/** @import {Gradient, Name, Node, SavedTensor, Step, Storage, Tensor, Write} from "./trace.d.ts" */
/** @import {Index, Run} from "./types.d.ts" */

/**
 * @template T
 * @typedef {{within: (after: number, until: number) => T[], upTo: (until: number) => T[]}} Ticked Records in
 *   the order of their ticks, cut by binary search
 */

/**
 * @typedef {Pick<Index,
 *   | "steps"
 *   | "names"
 *   | "tensors"
 *   | "storages"
 *   | "writes"
 *   | "nodes"
 *   | "saved_tensors"
 *   | "gradients"
 *   | "runs"
 *   | "outputs"
 *   | "variables"
 * >} Tables
 */

/**
 * Records in the order of their ticks; `within(after, until)`: those with after < tick <= until, so a step
 * costs what happened in it.
 * @template T
 * @param {readonly T[]} records
 * @param {(record: T) => number} tickOf
 * @returns {Ticked<T>}
 */
export function ticked(records, tickOf) {
  const sorted = [...records].sort((a, b) => tickOf(a) - tickOf(b));
  const ticks = Float64Array.from(sorted, tickOf);
  const beyond = (/** @type {number} */ tick) =>
    firstWhere(ticks.length, (at) => /** @type {number} */ (ticks[at]) > tick);
  return {
    within: (after, until) => sorted.slice(beyond(after), beyond(until)),
    upTo: (until) => sorted.slice(0, beyond(until)),
  };
}

/**
 * @param {Tables} tables
 */
export function lookupsOf(tables) {
  const { steps, names, variables, tensors, storages, writes, nodes, saved_tensors, gradients, runs } =
    tables;
  return {
    writes: once(() => ticked(writes, (write) => write.tick)),
    outputs: once(() => ticked(tables.outputs, (output) => output.tick)),
    born: {
      tensors: once(() => ticked(tensors, (tensor) => tensor.born)),
      nodes: once(() => ticked(nodes, (node) => node.born)),
    },
    freed: {
      storages: once(() =>
        ticked(
          storages.filter((storage) => storage.freed !== undefined),
          (storage) => storage.freed ?? 0,
        ),
      ),
      nodes: once(() =>
        ticked(
          nodes.filter((node) => node.freed !== undefined),
          (node) => node.freed ?? 0,
        ),
      ),
    },
    /** A name began to lead to another tensor, or to none. */
    named: once(() => facts(names, (name) => name.tensor)),
    /** A tensor got another `grad`. */
    graded: once(() => facts(tensors, (tensor) => tensor.grad)),
    /** A tensor got another geometry, its first one counted too. */
    placed: once(() => facts(tensors, (tensor) => tensor.geometry)),
    /** A tensor began to require grad, or no longer does. */
    required: once(() => facts(tensors, (tensor) => tensor.requires_grad)),
    /** A storage became larger, smaller, or was put elsewhere. */
    resized: once(() =>
      ticked(
        [...entries(storages, (storage) => storage.nbytes), ...entries(storages, (storage) => storage.moved)],
        ([tick]) => tick,
      ),
    ),
    /** A saved tensor was overwritten, or its counter moved on. */
    modified: once(() =>
      ticked(
        [
          ...entries(saved_tensors, (saved) => saved.outdated),
          ...entries(saved_tensors, (saved) => saved.overwritten),
        ],
        ([tick]) => tick,
      ),
    ),
    /** Variables that ever held a NumPy array. */
    arrays: once(() =>
      tables.variables.filter((variable) =>
        (variable.value ?? []).some(([, held]) => held?.kind === "array"),
      ),
    ),
    /** Names that ever led to a tensor. */
    names_of: once(() => groupedBy(names, (name) => (name.tensor ?? []).map(([, id]) => id))),
    /** Names and variables of a frame. */
    names_in: once(() => groupedBy(names, (name) => [name.frame])),
    variables_of: once(() => groupedBy(variables, (variable) => [variable.frame])),
    /** Tensors that ever had a tensor as their `grad`. */
    owners_of: once(() => groupedBy(tensors, (tensor) => (tensor.grad ?? []).map(([, id]) => id))),
    /** Tensors that ever looked at a storage. */
    lookers_at: once(() =>
      groupedBy(tensors, (tensor) => (tensor.geometry ?? []).map(([, geometry]) => geometry.storage)),
    ),
    /** Tensors that were ever views of a tensor. */
    views_of: once(() => groupedBy(tensors, (tensor) => (tensor.base ?? []).map(([, id]) => id))),
    /** The AccumulateGrads of a leaf. */
    leaves_of: once(() => groupedBy(nodes, (node) => [node.variable ?? null])),
    /** Saved tensors that were a tensor, and those that lie in a storage. */
    saved_as: once(() => groupedBy(saved_tensors, (saved) => [saved.tensor])),
    saved_in: once(() => groupedBy(saved_tensors, (saved) => [saved.geometry.storage])),
    /** Tensors that ever had a Node as their `grad_fn`. */
    results_of: once(() =>
      groupedBy(tensors, (tensor) =>
        (tensor.grad_fn ?? []).map(([, fact]) => (fact?.kind === "grad_fn" ? fact.node : null)),
      ),
    ),
    /** Tensors and Nodes that were made on a line. */
    tensors_on: once(() => groupedBy(tensors, (tensor) => [lineOfStep(steps, tensor.made_by)])),
    nodes_on: once(() => groupedBy(nodes, (node) => [lineOfStep(steps, node.made_by)])),
    /** Nodes ran, by when they were over. */
    ran: once(() => ticked(runs, (run) => run.ended)),
    /** When a Node ran. */
    runs_of: once(() => groupedBy(runs, (run) => [run.node])),
    /** The gradients that travelled within a statement of the outermost frame, oldest first. */
    gradients_of: once(() => flowing(steps, gradients)),
  };
}

/** @typedef {ReturnType<typeof lookupsOf>} Lookups */

/**
 * Made when it is asked for, and only then.
 * @template T
 * @param {() => T} make
 * @returns {() => T}
 */
export function once(make) {
  /** @type {{made: T} | null} */
  let result = null;
  return () => {
    result ??= { made: make() };
    return result.made;
  };
}

/**
 * @template R, V
 * @param {readonly R[]} records
 * @param {(record: R) => [number, V][] | undefined} factsOf
 * @returns {[number, R][]}
 */
function entries(records, factsOf) {
  return records.flatMap((record) =>
    (factsOf(record) ?? []).map(([tick]) => /** @type {[number, R]} */ ([tick, record])),
  );
}

/**
 * @template R, V
 * @param {readonly R[]} records
 * @param {(record: R) => [number, V][] | undefined} factsOf
 */
function facts(records, factsOf) {
  return ticked(entries(records, factsOf), ([tick]) => tick);
}

/**
 * Records by what they belong to, each once, in table order.
 * @template R
 * @param {readonly R[]} records
 * @param {(record: R) => (number | null)[]} keysOf
 * @returns {(key: number) => readonly R[]}
 */
function groupedBy(records, keysOf) {
  /** @type {Map<number, R[]>} */
  const found = new Map();
  for (const record of records) {
    for (const key of new Set(keysOf(record))) {
      if (key === null) continue;
      const list = found.get(key);
      if (list) list.push(record);
      else found.set(key, [record]);
    }
  }
  const none = /** @type {R[]} */ ([]);
  return (key) => found.get(key) ?? none;
}

/**
 * @param {Step[]} steps
 * @param {Gradient[]} gradients
 * @returns {(statement: number) => Ticked<Gradient>}
 */
function flowing(steps, gradients) {
  const by = groupedBy(gradients, (gradient) => [outermost(steps, steps[gradient.step ?? -1])?.id ?? null]);
  /** @type {Map<number, Ticked<Gradient>>} */
  const cut = new Map();
  return (statement) => {
    const records = cut.get(statement) ?? ticked(by(statement), (gradient) => gradient.tick);
    cut.set(statement, records);
    return records;
  };
}

/**
 * Each record of a list of `[tick, record]`, once.
 * @template R
 * @param {[number, R][]} found
 * @returns {R[]}
 */
export function recordsOf(found) {
  return [...new Set(found.map(([, record]) => record))];
}
