/** Owns the state at a stop: a look-up in the facts, so jumping equals stepping. Pure; knows neither document nor language. */

import { labelsAt } from "./naming.js";
import { at } from "./facts.js";
import { overlapsAt } from "./overlap.js";

/** @import {Index, Label, NodeState, SavedLook, State, StorageState, Stop, TensorState} from "./types.d.ts" */

/**
 * Everything that is true after stop `k`.
 * @param {Index} index
 * @param {number} k from 0
 * @returns {State}
 */
export function stateAt(index, k) {
  const stop = /** @type {Stop} */ (index.stops[k]);
  const tick = stop.tick;
  const before = k > 0 ? (index.stops[k - 1]?.tick ?? -1) : -1;
  const labels = labelsAt(index, tick);
  const writes = index.writes.filter((write) => write.tick > before && write.tick <= tick);
  return {
    k,
    stop,
    tick,
    before,
    tensors: tensorsAt(index, tick, before, labels),
    storages: storagesAt(index, tick, before, writes),
    nodes: nodesAt(index, stop, before, labels),
    saved: savedAt(index, tick),
    gradients: gradientsAt(index, stop, before),
    writes,
    outputs: index.outputs.filter((output) => output.tick <= tick),
    is_last: k === index.stops.length - 1,
  };
}

/** @param {Index} index @param {number} tick @param {number} before @param {Map<number, Label[]>} labels */
function tensorsAt(index, tick, before, labels) {
  /** @type {Map<number, TensorState>} */
  const states = new Map();
  for (const tensor of index.tensors) {
    if (tensor.born > tick || (tensor.died !== undefined && tensor.died <= tick)) continue;
    const counter = at(tensor.version_counter, tick);
    const number = typeof counter === "number" ? counter : null;
    const version = counter === null ? null : versionAt(index, number, tick);
    const grad_fn = at(tensor.grad_fn, tick);
    const node = grad_fn?.kind === "grad_fn" ? grad_fn.node : null;
    const is_leaf = at(tensor.is_leaf, tick) === true && at(tensor.requires_grad, tick) === true;
    states.set(tensor.id, {
      id: tensor.id,
      look: is_leaf ? "leaf" : node !== null || at(tensor.requires_grad, tick) === true ? "result" : "plain",
      geometry: at(tensor.geometry, tick) ?? null,
      counter: number,
      version,
      is_bumped: tensor.born <= before && version !== versionAt(index, number, before) && typeof version === "number",
      is_new: tensor.born > before,
      base: at(tensor.base, tick) ?? null,
      grad: at(tensor.grad, tick) ?? null,
      node,
      labels: labels.get(tensor.id) ?? [],
      type: tensor.type,
    });
  }
  return states;
}

/** @param {Index} index @param {number | null} counter @param {number} tick */
function versionAt(index, counter, tick) {
  if (counter === null) return undefined;
  const version = at(index.version_counters[counter]?.version, tick);
  return typeof version === "number" ? version : undefined;
}

/** @param {Index} index @param {number} tick @param {number} before @param {State["writes"]} writes */
function storagesAt(index, tick, before, writes) {
  /** @type {Map<number, StorageState>} */
  const states = new Map();
  const overlaps = overlapsAt(index, tick);
  for (const storage of index.storages) {
    if (storage.born > tick) continue;
    const own = writes.filter((write) => write.storage === storage.id && write.changed !== false);
    const isOld = storage.born <= before;
    states.set(storage.id, {
      id: storage.id,
      nbytes: at(storage.nbytes, tick) ?? 0,
      contents: at(storage.contents, tick) ?? null,
      before: isOld ? (at(storage.contents, before) ?? null) : null,
      freed: storage.freed !== undefined && storage.freed <= tick,
      is_written: own.length > 0,
      over: overlaps.get(storage.id) ?? null,
      written: own.map((write) => [write.begin, write.end]),
    });
  }
  return states;
}

/** @param {Index} index @param {Stop} stop @param {number} before @param {Map<number, Label[]>} labels */
function nodesAt(index, stop, before, labels) {
  /** @type {Map<number, NodeState>} */
  const states = new Map();
  for (const node of index.nodes) {
    if (node.born > stop.tick) continue;
    const freed = node.freed !== undefined && node.freed <= stop.tick;
    states.set(node.id, { id: node.id, freed, ran: false, active: false, is_new: node.born > before, labels: [] });
  }
  for (const tensor of index.tensors) {
    const grad_fn = at(tensor.grad_fn, stop.tick);
    if (grad_fn?.kind !== "grad_fn" || (tensor.died !== undefined && tensor.died <= stop.tick)) continue;
    for (const label of labels.get(tensor.id) ?? []) states.get(grad_fn.node)?.labels.push(label.text);
  }
  for (const run of index.runs) {
    if (run.ended > stop.tick) break;
    const state = states.get(run.node);
    if (state && run.statement === stop.statement) state.ran = true;
  }
  const active = states.get(stop.node ?? -1);
  if (active) active.active = true;
  return states;
}

/** @param {Index} index @param {number} tick */
function savedAt(index, tick) {
  /** @type {Map<number, SavedLook>} */
  const looks = new Map();
  const isPast = (/** @type {[number, number][] | undefined} */ facts) => at(facts, tick) !== undefined;
  for (const saved of index.saved_tensors) {
    if (saved.tick > tick) continue;
    if (saved.released !== undefined && saved.released <= tick) looks.set(saved.id, "freed");
    else if (isPast(saved.outdated) || isPast(saved.overwritten)) looks.set(saved.id, "stale");
    else looks.set(saved.id, saved.available === false ? "hidden" : "current");
  }
  return looks;
}

/** @param {Index} index @param {Stop} stop @param {number} before */
function gradientsAt(index, stop, before) {
  const steps = index.steps;
  return index.gradients
    .filter((gradient) => gradient.tick <= stop.tick && gradient.step !== null)
    .filter((gradient) => outermost(steps, /** @type {number} */ (gradient.step)) === stop.statement)
    .map((gradient) => ({ gradient, fresh: gradient.tick > before }));
}

/** @param {Index["steps"]} steps @param {number} id */
function outermost(steps, id) {
  let own = steps[id];
  while (own?.parent !== undefined) own = steps[own.parent];
  return own?.id;
}
