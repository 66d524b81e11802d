/**
 * Owns the sentences about backward: what a Node receives and sends, which saved tensors it releases, and the
 * resulting gradients. Pure.
 */

import { grouped } from "../../run/grouped.js";
import { arrivalsIn } from "../../run/flows.js";
import { at, stopAtTick } from "../../run/facts.js";
import { hasShape, isValue, nested } from "../../run/values/format.js";
import { printedSize, vanishingOf } from "../../run/values/gradient-sizes.js";
import { literal } from "../../run/legible.js";
import { gradName } from "../../run/naming/naming.js";
import { recordsOf } from "../../run/lookups.js";
import { shown, valuesRead } from "../../run/values/shown.js";
import { firstWhere } from "../../run/sorted.js";
import { stateAt } from "../../run/state-at.js";
import { called, code, nodeOf, row, shapeIn, slot } from "./phrases.js";
import { gradient, READ, spelt } from "../values.js";

/** @import {Contents, Geometry, Gradient, Value, Write} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State, TensorState} from "../../run/types.d.ts" */

const MOST = 4;
const ZEROING = new Set(["aten::zero_", "aten::_foreach_zero_"]);

/**
 * What changed gradients since a tick: the storages that were written, what wrote each, and the runs of
 * AccumulateGrads.
 * @typedef {{written: Set<number>, writes: Map<number, Write[]>, runs: RanNode[]}} Changes
 */
/** @typedef {{node: number, began: number, ended: number}} RanNode */

/**
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function ranNode(index, state) {
  const { stop } = state;
  const node = stop.kind === "node" ? index.nodes[stop.step.node ?? -1] : undefined;
  if (node === undefined) return [];
  const arrived = arrivals(index, state, node.id);
  const value = sum(arrived);
  if (node.variable !== undefined)
    return [
      ...accumulated(index, state, node.variable, value),
      ...hooked(index, state, node.variable, arrived),
      ...vanished(index, state, node.id),
      ...onTheWay(index, state),
    ];
  const sent = state.gradients
    .map((flow) => flow.gradient)
    .filter((sending) => sending.node === node.id && sending.step === stop.step.id);
  const sentences = [
    { id: "story-node", args: { node: nodeOf(index, node.id), value } },
    ...sendings(index, state, sent),
    ...becameZero(index, state, arrived, sent),
  ];
  if (sent.length === 0)
    sentences.push({ id: isBroken(index, state) ? "story-sent-broken" : "story-sent-nothing", args: {} });
  return [...sentences, ...onTheWay(index, state), ...released(index, state, node.id)];
}

/**
 * The gradient for a leaf, and that it was not added, if so.
 * @param {Index} index
 * @param {State} state
 * @param {number} leaf
 * @param {Sentence} value
 * @returns {Sentence[]}
 */
function accumulated(index, state, leaf, value) {
  const { began } = state.stop.step;
  const name = called(index, state, leaf);
  const isAdded = wasAdded(index, leaf, began, state.tick);
  if (value.id === "phrase-gradient-unknown" && !isAdded)
    return [{ id: "story-accumulate-none", args: { name } }];
  const isFrozen = !isAdded && !at(index.tensors[leaf]?.requires_grad, began);
  return [
    { id: "story-accumulate", args: { name, value } },
    ...(isFrozen ? [{ id: "story-accumulate-frozen", args: { name } }] : []),
  ];
}

/**
 * What became of a leaf's first gradient before it was stored: only hooks change it on the way.
 * @param {Index} index
 * @param {State} state
 * @param {number} leaf
 * @param {Gradient[]} arrived
 * @returns {Sentence[]}
 */
function hooked(index, state, leaf, arrived) {
  const [only] = arrived;
  const grads = index.tensors[leaf]?.grad;
  const geometry = state.tensors.get(at(grads, state.tick) ?? -1)?.geometry;
  const isFirst = at(grads, state.stop.step.began - 1) == null;
  if (only?.value.kind !== "cells" || arrived.length !== 1 || !isFirst || !geometry) return [];
  if (only.value.dtype !== geometry.dtype || `${only.shape}` !== `${geometry.shape}`) return [];
  const before = nested(only.value, only.shape, READ);
  const after = shown(geometry, state.storages.get(geometry.storage ?? -1)?.contents, READ);
  const isChanged = isValue(before) && isValue(after) && before !== after;
  return isChanged ? [{ id: "story-accumulate-hooked", args: { value: literal(spelt(after)) } }] : [];
}

/**
 * That the gradients of this backward have vanished from this leaf on.
 * @param {Index} index
 * @param {State} state
 * @param {number} node
 * @returns {Sentence[]}
 */
function vanished(index, state, node) {
  const found = vanishingOf(index);
  if (found === null || found.first.node !== node || found.first.tick !== state.tick) return [];
  const { first, largest, later } = found;
  const args = {
    later,
    size: printedSize(first.size),
    largest: printedSize(largest.size),
    name: called(index, state, largest.leaf),
  };
  return [{ id: "story-vanished", args }];
}

/**
 * Whether the run of an AccumulateGrad changed the `grad` of its leaf: it adds nothing to one that no
 * longer requires grad, nor without a gradient.
 * @param {Index} index
 * @param {number} leaf
 * @param {number} began
 * @param {number} ended
 */
function wasAdded(index, leaf, began, ended) {
  const tensor = index.tensors[leaf];
  const grad = at(tensor?.grad, ended);
  const changed = (tensor?.grad ?? []).filter(([tick]) => tick >= began && tick <= ended);
  // a hook of the leaf may have taken it
  if (grad == null || changed.length > 0) return changed.some(([, given]) => given !== null);
  const storage = at(index.tensors[grad]?.geometry, ended)?.storage ?? null;
  if (storage === null) return at(tensor?.requires_grad, began) === true; // sparse: no write is seen
  const written = index.lookups.writes().within(began, ended);
  return written.some((write) => write.storage === storage);
}

/**
 * What a Node sends; equal gradients to one Node in one sentence, and so those to several that are called
 * the same.
 * @param {Index} index
 * @param {State} state
 * @param {Gradient[]} sent
 * @returns {Sentence[]}
 */
function sendings(index, state, sent) {
  const all = sent.map((sending) => {
    const to = index.nodes[sending.to ?? -1];
    const value = gradient(sending.value, sending.shape);
    /** @type {Sentence} */
    const sentence =
      to?.variable === undefined
        ? { id: "story-sent", args: { value, to: nodeOf(index, sending.to) } }
        : { id: "story-sent-leaf", args: { value, name: called(index, state, to.variable) } };
    return { sentence, to: sending.to };
  });
  const toOne = [...grouped(all, (each) => JSON.stringify(each)).values()].flatMap((same) =>
    same
      .slice(0, 1)
      .map(({ sentence }) => ({ id: sentence.id, args: { ...sentence.args, times: same.length } })),
  );
  const sentences = [...grouped(toOne, (sentence) => JSON.stringify(sentence)).values()].flatMap((same) =>
    same.slice(0, 1).map(({ id, args }) => ({ id, args: { ...args, nodes: same.length } })),
  );
  return sentences.length > MOST
    ? [...sentences.slice(0, MOST), { id: "story-sent-more", args: { count: sentences.length - MOST } }]
    : sentences;
}

/**
 * That a Node sends zeros alone where it received others.
 * @param {Index} index
 * @param {State} state
 * @param {Gradient[]} arrived
 * @param {Gradient[]} sent
 * @returns {Sentence[]}
 */
function becameZero(index, state, arrived, sent) {
  const zero = sent.filter(({ value }) => isZero(value) === true);
  if (zero.length === 0 || !arrived.some(({ value }) => isZero(value) === false)) return [];
  if (zero.length === sent.length) return [{ id: "story-zero", args: {} }];
  const all = zero.flatMap(({ to, value, shape }) => {
    const leaf = index.nodes[to ?? -1]?.variable;
    if (leaf === undefined) return [nodeOf(index, to)];
    // with few values it is seen already
    if (gradient(value, shape).id === "phrase-gradient") return [];
    return [{ id: "transcript-leaf", args: { name: called(index, state, leaf) } }];
  });
  const names = row([...new Map(all.map((name) => [JSON.stringify(name), name])).values()], MOST);
  return names.length === 0 ? [] : [{ id: "story-zero-to", args: { names } }];
}

/**
 * Whether every element is zero; undefined where that is not known.
 * @param {Contents} contents
 */
function isZero(contents) {
  if (contents.kind === "cells")
    return contents.values.every((value) => [value].flat().every((part) => part === 0 || part === false));
  if (contents.kind === "unknown") return undefined;
  return contents.min === 0 && contents.max === 0 && !contents.nan_count && !contents.inf_count;
}

/**
 * Whether a Node raised, or Python that it called.
 * @param {Index} index
 * @param {State} state
 */
function isBroken(index, { k, stop, tick }) {
  const next = index.stops[k + 1];
  const isRaised = next?.kind === "exception" && next.step.parent === stop.step.parent;
  return isRaised || endsInException(index.steps, stop.step.id, tick);
}

/**
 * Whether the last thing that began in a step was an exception.
 * @param {Index["steps"]} steps
 * @param {number} id
 * @param {number} tick when the step ended
 */
function endsInException(steps, id, tick) {
  const after = firstWhere(steps.length, (place) => (steps[place]?.began ?? 0) > tick);
  return after - 1 > id && steps[after - 1]?.kind === "exception";
}

/**
 * Functions of the snippet that ran within a Node: a hook, the backward of a custom Function.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
function onTheWay(index, { stop, tick }) {
  const names = new Set();
  for (let id = stop.step.id + 1; (index.steps[id]?.began ?? Infinity) <= tick; id += 1) {
    const step = index.steps[id];
    if (step?.kind === "call" && step.parent === stop.step.id) names.add(step.name ?? "?");
  }
  return names.size === 0 ? [] : [{ id: "story-on-the-way", args: { names: row([...names].map(code), 3) } }];
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} node
 * @returns {Sentence[]}
 */
function released(index, state, node) {
  const slots = (index.saved_of[node] ?? []).filter((saved) => saved.available !== false);
  const freed = slots.filter(
    (saved) => saved.released !== undefined && saved.released > state.before && saved.released <= state.tick,
  );
  if (freed.length > 0)
    return [
      {
        id: "story-released",
        args: {
          count: freed.length,
          saved: row(
            freed.map((saved) => bare(slot(index, state, saved))),
            3,
          ),
        },
      },
    ];
  const isRetained =
    slots.length > 0 &&
    slots.every((saved) => saved.released === undefined || saved.released > state.tick) &&
    !isBroken(index, state);
  return isRetained ? [{ id: "story-kept", args: {} }] : [];
}

/**
 * The phrase without a version, for a saved tensor that is released.
 * @param {Sentence} phrase
 * @returns {Sentence}
 */
function bare(phrase) {
  return { id: phrase.id, args: { ...phrase.args, version: -1 } };
}

/**
 * The gradients that reached a Node since it last ran; autograd sums them.
 * @param {Index} index
 * @param {State} state
 * @param {number} node
 * @returns {Gradient[]}
 */
function arrivals(index, state, node) {
  const { statement, step } = state.stop;
  return arrivalsIn(index, statement, { node, began: step.began, ended: state.tick });
}

/**
 * @param {Gradient[]} values
 * @returns {Sentence}
 */
function sum(values) {
  if (values.length === 0) return { id: "phrase-gradient-unknown", args: {} };
  const phrases = values.map((arrival) => gradient(arrival.value, arrival.shape));
  const [first] = phrases;
  if (first !== undefined && phrases.length === 1) return first;
  const texts = values.map((arrival) => nested(arrival.value, arrival.shape, READ));
  if (texts.length <= 3 && texts.every(isValue))
    return { id: "phrase-gradients", args: { values: texts.map((text) => code(spelt(text))) } };
  return { id: "phrase-gradients-count", args: { count: texts.length } };
}

/**
 * What the backward of a statement did in all, after its Nodes have run.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function backward(index, state) {
  const { stop, tick } = state;
  const ran = stop.kind === "statement" ? runsWithin(index.runs, stop.step.began, tick) : [];
  if (ran.length === 0) return [];
  const first = stopAtTick(
    index,
    ran.reduce((least, run) => Math.min(least, run.began), Infinity),
  );
  const start = first > 0 ? stateAt(index, first - 1) : null;
  const leaves = new Set(
    ran.flatMap(({ node, began, ended }) => {
      const leaf = index.nodes[node]?.variable;
      return leaf !== undefined && wasAdded(index, leaf, began, ended) ? [leaf] : [];
    }),
  );
  const names = row(
    [...leaves].map((leaf) => called(index, state, leaf)),
    MOST,
  );
  /** @type {Sentence} */
  const over =
    names.length === 0
      ? { id: "story-backward", args: { count: ran.length } }
      : { id: "story-backward-leaves", args: { count: ran.length, names } };
  const isBrokenOff = endsInException(index.steps, stop.step.id, tick);
  return [...(isBrokenOff ? [] : [over]), ...grads(index, state, start, ran)];
}

/**
 * The Nodes that began to run after `began` and had ended by `tick`.
 * @param {Index["runs"]} runs
 * @param {number} began
 * @param {number} tick
 */
function runsWithin(runs, began, tick) {
  const after = runs.findLastIndex((run) => run.ended <= tick);
  let first = after + 1;
  while ((runs[first - 1]?.ended ?? -1) > began) first -= 1;
  return runs.slice(first, after + 1).filter((run) => run.began >= began);
}

/**
 * Gradients that appeared, changed or were removed since `before`.
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before
 * @param {RanNode[]} runs of Nodes that the step is about
 * @returns {Sentence[]}
 */
export function grads(index, state, before, runs = runsOf(state)) {
  /** @type {Sentence[]} */
  const sentences = [];
  // what a Node did before it called this statement's function is the Node's
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
 * Whether a Node called the function of this statement.
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
 * The AccumulateGrad that alone changed the `grad` of a leaf.
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
 * What arrived, as it was added; "none" where the values are many or not known, or where a hook changed them,
 * so that old and new do not give the sum.
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
 * Tensors with a new `grad` since a tick, or with one in a storage that was written.
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
