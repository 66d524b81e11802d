/**
 * Owns the look-ups over the tables of a run: the records between two ticks, and the records that refer to a
 * given record. A look-up is built when it is used for the first time. Pure.
 */

import { addTo } from "./grouped.js";
import { upTo } from "./sorted.js";
import { lineOfStep, outermost } from "./step-tree.js";

/** @import {Gradient, Name, Node, SavedTensor, Step, Storage, Tensor, Write} from "./trace.d.ts" */
/** @import {Index, Run} from "./types.d.ts" */

/**
 * @template T
 * @typedef {{within: (after: number, until: number) => T[], upTo: (until: number) => T[]}} Ticked Records
 *   sorted by tick, with binary search
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
 *   | "hooks"
 *   | "runs"
 *   | "outputs"
 *   | "variables"
 * >} Tables
 */

/**
 * Sorts records by tick. `within(after, until)` finds the records with after < tick <= until by binary
 * search, so a step costs time in proportion to its own records.
 * @template T
 * @param {readonly T[]} records
 * @param {(record: T) => number} tickOf
 * @returns {Ticked<T>}
 */
export function ticked(records, tickOf) {
  let sorted = records;
  let ticks = Float64Array.from(records, tickOf);
  if (ticks.some((tick, place) => tick < (ticks[place - 1] ?? 0))) {
    sorted = [...records].sort((a, b) => tickOf(a) - tickOf(b));
    ticks = Float64Array.from(sorted, tickOf);
  }
  return {
    within: (after, until) => sorted.slice(upTo(ticks, after), upTo(ticks, until)),
    upTo: (until) => sorted.slice(0, upTo(ticks, until)),
  };
}

const MOST_ARRAYS = 200;

/**
 * @param {Tables} tables
 */
export function lookupsOf(tables) {
  const { steps, names, variables, tensors, storages, writes, nodes, saved_tensors, gradients, runs } =
    tables;
  return {
    writes: once(() => ticked(writes, (write) => write.tick)),
    outputs: once(() => ticked(tables.outputs, (output) => output.tick)),
    hooks: once(() => ticked(tables.hooks, (hook) => hook.tick)),
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
    /** Names, by the ticks at which they are bound to another tensor or to no tensor. */
    named: once(() => facts(names, (name) => name.tensor)),
    /** Tensors, by the ticks at which their `grad` is replaced. */
    graded: once(() => facts(tensors, (tensor) => tensor.grad)),
    /** Tensors, by the ticks at which they get a geometry, including their first geometry. */
    placed: once(() => facts(tensors, (tensor) => tensor.geometry)),
    /** Tensors, by the ticks at which their `requires_grad` is set. */
    required: once(() => facts(tensors, (tensor) => tensor.requires_grad)),
    /** Tensors, by the ticks at which they get or lose a forward-mode tangent. */
    carried: once(() => facts(tensors, (tensor) => tensor.tangent)),
    /** Storages, by the ticks at which they are resized or moved. */
    resized: once(() =>
      ticked(
        [...entries(storages, (storage) => storage.nbytes), ...entries(storages, (storage) => storage.moved)],
        ([tick]) => tick,
      ),
    ),
    /** Saved tensors, by the ticks at which they are overwritten or their version counter moves. */
    modified: once(() =>
      ticked(
        [
          ...entries(saved_tensors, (saved) => saved.outdated),
          ...entries(saved_tensors, (saved) => saved.overwritten),
        ],
        ([tick]) => tick,
      ),
    ),
    /**
     * The first MOST_ARRAYS variables that ever hold a NumPy array, because each of them is compared with
     * every storage.
     */
    arrays: once(() =>
      tables.variables
        .filter((variable) => (variable.value ?? []).some(([, held]) => held?.kind === "array"))
        .slice(0, MOST_ARRAYS),
    ),
    /** The names that are bound to a tensor at any time in the run. */
    names_of: once(() => groupedBy(names, (name) => (name.tensor ?? []).map(([, id]) => id))),
    /** The names and the variables of a frame. */
    names_in: once(() => groupedBy(names, (name) => [name.frame])),
    variables_of: once(() => groupedBy(variables, (variable) => [variable.frame])),
    /** The tensors whose `grad` is a given tensor at any time in the run. */
    owners_of: once(() => groupedBy(tensors, (tensor) => (tensor.grad ?? []).map(([, id]) => id))),
    /** The tensors that use a given storage at any time in the run. */
    tensors_in: once(() =>
      groupedBy(tensors, (tensor) => (tensor.geometry ?? []).map(([, geometry]) => geometry.storage)),
    ),
    /** The tensors that are a view of a given tensor at any time in the run. */
    views_of: once(() => groupedBy(tensors, (tensor) => (tensor.base ?? []).map(([, id]) => id))),
    /** The AccumulateGrad Nodes of a leaf. */
    leaves_of: once(() => groupedBy(nodes, (node) => [node.variable ?? null])),
    /** The saved tensors of a tensor, and the saved tensors of a storage. */
    saved_as: once(() => groupedBy(saved_tensors, (saved) => [saved.tensor])),
    saved_in: once(() => groupedBy(saved_tensors, (saved) => [saved.geometry.storage])),
    /** The tensors whose `grad_fn` is a given Node at any time in the run. */
    results_of: once(() =>
      groupedBy(tensors, (tensor) =>
        (tensor.grad_fn ?? []).map(([, fact]) => (fact?.kind === "grad_fn" ? fact.node : null)),
      ),
    ),
    /** The tensors and the Nodes that a line of the source made. */
    tensors_on: once(() => groupedBy(tensors, (tensor) => [lineOfStep(steps, tensor.made_by)])),
    nodes_on: once(() => groupedBy(nodes, (node) => [lineOfStep(steps, node.made_by)])),
    /** The runs of Nodes, by the tick at which they ended. */
    ran: once(() => ticked(runs, (run) => run.ended)),
    /** The runs of a Node. */
    runs_of: once(() => groupedBy(runs, (run) => [run.node])),
    /** The gradients that backward passes during a statement of the outermost frame, oldest first. */
    gradients_of: once(() => flowing(steps, gradients)),
  };
}

/** @typedef {ReturnType<typeof lookupsOf>} Lookups */

/**
 * A function that calls `make` at its first call only, and always returns that result.
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
  /** @type {[number, R][]} */
  const found = [];
  for (const record of records) for (const [tick] of factsOf(record) ?? []) found.push([tick, record]);
  return found;
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
 * Groups records by the ids that they refer to, in table order. A group contains each record only once.
 * @template R
 * @param {readonly R[]} records
 * @param {(record: R) => (number | null)[]} keysOf
 * @returns {(key: number) => readonly R[]}
 */
function groupedBy(records, keysOf) {
  /** @type {Map<number, R[]>} */
  const found = new Map();
  for (const record of records) {
    const keys = keysOf(record);
    for (const key of keys.length > 1 ? new Set(keys) : keys) {
      if (key !== null) addTo(found, key, record);
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
 * The records of a list of `[tick, record]`, each only once.
 * @template R
 * @param {[number, R][]} found
 * @returns {R[]}
 */
export function recordsOf(found) {
  return [...new Set(found.map(([, record]) => record))];
}
