/**
 * Owns the state of the run at a stop: its tensors, storages, Nodes and saved tensors. Every property of a
 * state is looked up in the recorded facts, and nothing is replayed or copied. Therefore a jump gives the
 * same state as stepping. The module is pure and does not depend on the page or its language.
 */

import { labelsAt } from "./naming/naming.js";
import { at } from "./facts.js";
import { gradientAlong, gradientAlongAny, rootsOf } from "./flows.js";
import { once } from "./lookups.js";
import { overlapsAt } from "./overlap.js";
import { wasThere } from "./there-before.js";

/** @import {Gradient, SavedTensor, Tensor} from "./trace.d.ts" */
/**
 * @import {Index, Lazy, NodeState, SavedLook, State, StorageState, Stop, TensorState} from "./types.d.ts"
 */

/**
 * The state of the run after stop `k`.
 * @param {Index} index
 * @param {number} k from 0
 * @param {boolean} [isStill] whether nothing counts as fresh, because the run did not move
 * @returns {State}
 */
export function stateAt(index, k, isStill = false) {
  const stop = /** @type {Stop} */ (index.stops[k]);
  const tick = stop.tick;
  // Objects that existed before the recording do not count as new.
  const begin = (index.steps[0]?.began ?? 0) - 1;
  const before = isStill ? tick : k > 0 ? (index.stops[k - 1]?.tick ?? -1) : begin;
  const context = { index, stop, tick, before };
  const writes = index.lookups.writes().within(before, tick);
  const gradients = once(() =>
    index.lookups
      .gradients_of()(stop.statement)
      .upTo(tick)
      .map((gradient) => ({ gradient, fresh: gradient.tick > before })),
  );
  const flow = (/** @type {Gradient | undefined} */ gradient) =>
    gradient && { gradient, fresh: gradient.tick > before };
  const overlaps = once(() => overlapsAt(index, tick));
  return {
    k,
    stop,
    tick,
    before,
    tensors: lazy((id) => tensorAt(context, id)),
    storages: lazy((id) => storageAt(context, writes, overlaps, id)),
    nodes: lazy((id) => nodeAt(context, id)),
    saved: lazy((id) => savedAt(index, tick, id)),
    get gradients() {
      return gradients();
    },
    arrived: (edge) => flow(gradientAlong(index, stop.statement, tick, edge)),
    arrivedLast: (edges) => flow(gradientAlongAny(index, stop.statement, tick, edges)),
    get roots() {
      return rootsOf(index, stop.statement, tick);
    },
    writes,
    get outputs() {
      return index.lookups.outputs().upTo(tick);
    },
    is_last: k === index.stops.length - 1,
  };
}

/** @typedef {{index: Index, stop: Stop, tick: number, before: number}} Context */

/**
 * Caches the results of a look-up.
 * @template T
 * @param {(id: number) => T | undefined} look
 * @returns {Lazy<T>}
 */
function lazy(look) {
  /** @type {Map<number, T | undefined>} */
  const found = new Map();
  const get = (/** @type {number} */ id) => {
    if (!found.has(id)) found.set(id, look(id));
    return found.get(id);
  };
  return { get, has: (id) => get(id) !== undefined };
}

/**
 * @param {Context} context
 * @param {number} id
 * @returns {TensorState | undefined}
 */
function tensorAt({ index, tick, before }, id) {
  const tensor = index.tensors[id];
  if (tensor === undefined || tensor.born > tick || (tensor.died !== undefined && tensor.died <= tick))
    return undefined;
  const counter = at(tensor.version_counter, tick);
  const number = typeof counter === "number" ? counter : null;
  const version = counter === null ? null : versionAt(index, number, tick);
  const grad_fn = at(tensor.grad_fn, tick);
  const node = grad_fn?.kind === "grad_fn" ? grad_fn.node : null;
  return {
    id,
    look: lookAt(tensor, tick),
    geometry: at(tensor.geometry, tick) ?? null,
    counter: number,
    version,
    is_bumped:
      tensor.born <= before && version !== versionAt(index, number, before) && typeof version === "number",
    is_new: tensor.born > before && !wasThere(index.steps, tensor),
    base: at(tensor.base, tick) ?? null,
    grad: at(tensor.grad, tick) ?? null,
    node,
    labels: labelsAt(index, tick, id),
    type: tensor.type,
  };
}

/**
 * How the pictures draw a tensor: as a leaf that requires grad, as another tensor that requires grad or has
 * a `grad_fn`, or as a plain tensor.
 * @param {Tensor} tensor
 * @param {number} tick
 * @returns {TensorState["look"]}
 */
export function lookAt(tensor, tick) {
  const requires_grad = at(tensor.requires_grad, tick) === true;
  if (at(tensor.is_leaf, tick) === true && requires_grad) return "leaf";
  return requires_grad || at(tensor.grad_fn, tick)?.kind === "grad_fn" ? "result" : "plain";
}

/**
 * @param {Index} index
 * @param {number | null} counter
 * @param {number} tick
 */
function versionAt(index, counter, tick) {
  if (counter === null) return undefined;
  const version = at(index.version_counters[counter]?.version, tick);
  return typeof version === "number" ? version : undefined;
}

/**
 * @param {Context} context
 * @param {State["writes"]} writes
 * @param {() => Map<number, number>} overlaps
 * @param {number} id
 * @returns {StorageState | undefined}
 */
function storageAt({ index, tick, before }, writes, overlaps, id) {
  const storage = index.storages[id];
  if (storage === undefined || storage.born > tick) return undefined;
  const changing = writes.filter((write) => write.storage === id && write.changed !== false);
  return {
    id,
    nbytes: at(storage.nbytes, tick) ?? 0,
    contents: at(storage.contents, tick) ?? null,
    before: storage.born <= before ? (at(storage.contents, before) ?? null) : null,
    freed: storage.freed !== undefined && storage.freed <= tick,
    is_written: changing.length > 0,
    over: overlaps().get(id) ?? null,
    written: changing.map((write) => [write.begin, write.end]),
  };
}

/**
 * @param {Context} context
 * @param {number} id
 * @returns {NodeState | undefined}
 */
function nodeAt({ index, stop, tick, before }, id) {
  const node = index.nodes[id];
  if (node === undefined || node.born > tick) return undefined;
  const { results_of, runs_of } = index.lookups;
  const results = results_of()(id).filter((tensor) => {
    const grad_fn = at(tensor.grad_fn, tick);
    return (
      grad_fn?.kind === "grad_fn" &&
      grad_fn.node === id &&
      !(tensor.died !== undefined && tensor.died <= tick)
    );
  });
  return {
    id,
    freed: node.freed !== undefined && node.freed <= tick,
    ran: runs_of()(id).some((run) => run.ended <= tick && run.statement === stop.statement),
    active: stop.node === id,
    is_new: node.born > before && !wasThere(index.steps, node),
    labels: results.flatMap((tensor) => labelsAt(index, tick, tensor.id).map((label) => label.text)),
  };
}

/**
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 * @returns {SavedLook | undefined}
 */
function savedAt(index, tick, id) {
  const saved = index.saved_tensors[id];
  if (saved === undefined || saved.tick > tick) return undefined;
  if (saved.released !== undefined && saved.released <= tick)
    return isUsedStale(index, saved) ? "stale-freed" : "freed";
  if (isStaleAt(saved, tick)) return "stale";
  return saved.available === false ? "hidden" : "current";
}

/**
 * Whether a saved tensor exists at the step and is not freed.
 * @param {SavedLook | undefined} look
 */
export function isHeld(look) {
  return look !== undefined && look !== "freed" && look !== "stale-freed";
}

/**
 * Whether a Node ran after its saved tensor was modified and before the saved tensor was freed.
 * @param {Index} index
 * @param {SavedTensor} saved
 */
export function isUsedStale({ lookups }, saved) {
  if (saved.outdated === undefined && saved.overwritten === undefined) return false;
  return lookups
    .runs_of()(saved.node)
    .some(({ began }) => began < (saved.released ?? Infinity) && isStaleAt(saved, began));
}

/**
 * @param {SavedTensor} saved
 * @param {number} tick
 */
function isStaleAt({ outdated, overwritten }, tick) {
  return (at(outdated, tick) ?? at(overwritten, tick) ?? null) !== null;
}
