/** Owns the sentences about the `grad` of tensors that a step created, changed, added to or removed. Pure. */

import { grouped } from "../../run/grouped.js";
import { at } from "../../run/facts.js";
import { arrivalsIn } from "../../run/flows.js";
import { hasShape, isValue, nested } from "../../run/values/format.js";
import { gradName } from "../../run/naming/naming.js";
import { recordsOf } from "../../run/lookups.js";
import { shown, valuesRead } from "../../run/values/shown.js";
import { called, code, shapeIn } from "./phrases.js";
import { READ, spelt } from "../values.js";

/** @import {Contents, Geometry, Gradient, Value, Write} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State, TensorState} from "../../run/types.d.ts" */

const MOST = 4;
const ZEROING = new Set(["aten::zero_", "aten::_foreach_zero_"]);

/**
 * What may have changed a `grad` since a tick: the storages with changed bytes, all writes by storage, and
 * the runs of Nodes.
 * @typedef {{written: Set<number>, writes: Map<number, Write[]>, runs: RanNode[]}} Changes
 */
/** @typedef {{node: number, began: number, ended: number}} RanNode */

/**
 * The sentences about each `grad` that appeared, changed or was removed since `before`.
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before
 * @param {RanNode[]} runs of Nodes in this step
 * @returns {Sentence[]}
 */
export function grads(index, state, before, runs = runsOf(state)) {
  /** @type {Sentence[]} */
  const sentences = [];
  // in a hook's function, changes before the statement were made by the Node that called the hook
  const since =
    state.stop.kind === "statement" && isInHook(index, state) ? state.stop.step.began : (before?.tick ?? -1);
  const writes = index.lookups.writes().within(since, state.tick);
  const written = new Set(writes.filter((write) => write.changed !== false).map((write) => write.storage));
  /** @type {Changes} */
  const changes = { written, writes: grouped(writes, (write) => write.storage), runs };
  for (const tensor of regraded(index, state, since, written))
    sentences.push(...gradOf(index, state, before, tensor, changes));
  return sentences.length <= MOST + 1
    ? sentences
    : [...sentences.slice(0, MOST), { id: "story-more-grads", args: { count: sentences.length - MOST } }];
}

/**
 * Whether a statement belongs to a function that a Node called, such as a hook.
 * @param {Index} index
 * @param {State} state
 */
function isInHook(index, { stop }) {
  const call = index.steps[stop.step.parent ?? -1];
  return call?.kind === "call" && index.steps[call.parent ?? -1]?.kind === "node";
}

/**
 * @param {State} state
 * @returns {RanNode[]}
 */
function runsOf({ stop, tick }) {
  const { node, began } = stop.step;
  return stop.kind === "node" && node != null ? [{ node, began, ended: tick }] : [];
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before
 * @param {TensorState} tensor
 * @param {Changes} changes
 * @returns {Sentence[]}
 */
function gradOf(index, state, before, tensor, changes) {
  const was = before?.tensors.get(tensor.id)?.grad ?? null;
  const whose = called(index, state, tensor.id);
  const isNamed = whose.id === "phrase-code";
  if (whose.id === "phrase-unnamed" || (!isNamed && was === null && tensor.is_new)) return [];
  const name = isNamed
    ? code(gradName(tensor.labels[0]?.text ?? ""))
    : { id: "phrase-grad-of", args: { whose } };
  if (tensor.grad === null) return was === null ? [] : [{ id: "story-grad-none", args: { name } }];
  const geometry = state.tensors.get(tensor.grad)?.geometry;
  const storage = geometry?.storage ?? -1;
  const now = state.storages.get(storage)?.contents;
  if (!geometry || !now || (tensor.grad === was && !changes.written.has(storage))) return [];
  const args = {
    name,
    value: valuesIn(geometry, now),
    shape: shapeIn(geometry),
    storage: `S${storage}`,
  };
  if (was === null) return [{ id: "story-grad-new", args }];
  const old = before?.tensors.get(was)?.geometry;
  const held = before?.storages.get(old?.storage ?? -1)?.contents;
  const changed = { ...args, from: old && held ? valuesIn(old, held) : "none" };
  const run = addedBy(index, tensor.id, storage, changes);
  const [numbers, total] = [old && held ? valuesRead(old, held) : undefined, valuesRead(geometry, now)];
  const added =
    run === undefined ? undefined : addition(arrivalsIn(index, state.stop.statement, run), numbers, total);
  if (added !== undefined)
    return [
      ...(tensor.grad === was ? [] : [{ id: "story-grad-other", args: changed }]),
      { id: "story-grad-added", args: { ...changed, added } },
    ];
  const isZeroed = (changes.writes.get(storage) ?? []).every(({ operator }) => ZEROING.has(operator ?? ""));
  if (tensor.grad !== was) return [{ id: "story-grad-other", args: changed }];
  return [{ id: isZeroed ? "story-grad-zeroed" : "story-grad-now", args: changed }];
}

/**
 * @param {Geometry} geometry
 * @param {Contents} contents
 */
function valuesIn(geometry, contents) {
  const value = hasShape(geometry) ? shown(geometry, contents, READ) : "?";
  return isValue(value) ? spelt(value) : "none";
}

/**
 * The run of AccumulateGrad that made the only change to a leaf's `grad`; undefined if something else
 * changed it too.
 * @param {Index} index
 * @param {number} leaf
 * @param {number} storage of the `grad`
 * @param {Changes} changes
 */
function addedBy(index, leaf, storage, { runs, writes }) {
  const ofLeaf = runs.filter(
    ({ node, began, ended }) => index.nodes[node]?.variable === leaf && wasAdded(index, leaf, began, ended),
  );
  const [run] = ofLeaf;
  if (run === undefined || ofLeaf.length > 1) return undefined;
  const isAlone = (writes.get(storage) ?? []).every(({ tick }) => tick >= run.began && tick <= run.ended);
  return isAlone ? run : undefined;
}

/**
 * The gradient that was added to a `grad`, as text. "none" if its values are too many or unknown, or if the
 * old `grad` plus the gradient does not give the new `grad`, because a hook changed it.
 * @param {Gradient[]} arrived
 * @param {Value[] | undefined} old
 * @param {Value[] | undefined} total
 */
function addition(arrived, old, total) {
  const [first] = arrived;
  const all = arrived.map(({ value }) => (value.kind === "cells" ? value.values.map(Number) : []));
  const sums = all[0]?.map((_, place) => all.reduce((sum, values) => sum + (values[place] ?? NaN), 0));
  const isSum =
    sums?.length === total?.length &&
    sums?.every((added, place) => {
      const [before, after] = [Number(old?.[place]), Number(total?.[place])];
      return Math.abs(before + added - after) <= 1e-2 * Math.max(...[before, added, after].map(Math.abs));
    });
  if (first?.value.kind !== "cells" || sums === undefined || isSum !== true) return "none";
  const text = nested({ ...first.value, values: sums }, first.shape, READ);
  return isValue(text) ? spelt(text) : "none";
}

/**
 * The tensors whose `grad` was set since a tick, or whose `grad` uses a storage that was written.
 * @param {Index} index
 * @param {State} state
 * @param {number} since
 * @param {Set<number>} written
 * @returns {TensorState[]}
 */
function regraded(index, state, since, written) {
  const { graded, tensors_in, owners_of } = index.lookups;
  const ids = new Set(recordsOf(graded().within(since, state.tick)).map((tensor) => tensor.id));
  for (const storage of written) {
    for (const grad of tensors_in()(storage))
      for (const owner of owners_of()(grad.id))
        if (state.tensors.get(owner.id)?.grad === grad.id) ids.add(owner.id);
  }
  return [...ids]
    .sort((a, b) => a - b)
    .map((id) => state.tensors.get(id))
    .filter((tensor) => tensor !== undefined);
}

/**
 * Whether a run of AccumulateGrad changed the `grad` of its leaf. AccumulateGrad changes nothing if the leaf
 * no longer requires grad, or if AccumulateGrad received no gradient.
 * @param {Index} index
 * @param {number} leaf
 * @param {number} began
 * @param {number} ended
 */
export function wasAdded(index, leaf, began, ended) {
  const tensor = index.tensors[leaf];
  const grad = at(tensor?.grad, ended);
  const changed = (tensor?.grad ?? []).filter(([tick]) => tick >= began && tick <= ended);
  // a hook of the leaf may have set `grad` to None
  if (grad == null || changed.length > 0) return changed.some(([, given]) => given !== null);
  const storage = at(index.tensors[grad]?.geometry, ended)?.storage ?? null;
  // Writes to a sparse `grad` are not recorded.
  if (storage === null) return at(tensor?.requires_grad, began) === true;
  const written = index.lookups.writes().within(began, ended);
  return written.some((write) => write.storage === storage);
}
