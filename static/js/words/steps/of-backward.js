/**
 * Owns the sentences about backward: the gradients that a Node receives and sends, the saved tensors that it
 * releases, and the effect on the `grad` of leaves. Pure.
 */

import { grouped } from "../../run/grouped.js";
import { arrivalsIn } from "../../run/flows.js";
import { at, stopAtTick } from "../../run/facts.js";
import { isValue, nested } from "../../run/values/format.js";
import { printedSize, vanishingOf } from "../../run/values/gradient-sizes.js";
import { literal } from "../../run/legible.js";
import { shown } from "../../run/values/shown.js";
import { firstWhere } from "../../run/sorted.js";
import { stateAt } from "../../run/state-at.js";
import { called, code, nodeOf, row, slot } from "./phrases.js";
import { gradient, READ, spelt } from "../values.js";
import { grads, wasAdded } from "./of-grads.js";

/** @import {Contents, Geometry, Gradient, Value, Write} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State, TensorState} from "../../run/types.d.ts" */

const MOST = 4;

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
 * The sentences about a gradient that reached the AccumulateGrad of a leaf. A gradient that was not added to
 * the leaf's `grad` is reported as such.
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
 * The sentence that hooks changed a leaf's first gradient: the `grad` differs from the only gradient that
 * AccumulateGrad received.
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
 * The sentence that gradients vanish from this leaf on, if the running Node is the AccumulateGrad of that
 * leaf.
 * @param {Index} index
 * @param {State} state
 * @param {number} node
 * @returns {Sentence[]}
 */
function vanished(index, state, node) {
  const found = vanishingOf(index);
  if (found === null || found.first.node !== node || found.first.tick !== state.tick) return [];
  const { first, largest } = found;
  const args = {
    size: printedSize(first.size),
    largest: printedSize(largest.size),
    name: called(index, state, largest.leaf),
  };
  return [{ id: "story-vanished", args }];
}

/**
 * The sentences about the gradients that a Node sends. Equal gradients that are sent to the same Node, or to
 * Nodes with the same name, share a sentence.
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
 * The sentence that a Node sends only zeros although it received other values.
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
    // for few values the sentence before shows the zeros
    if (gradient(value, shape).id === "phrase-gradient") return [];
    return [{ id: "transcript-leaf", args: { name: called(index, state, leaf) } }];
  });
  const names = row([...new Map(all.map((name) => [JSON.stringify(name), name])).values()], MOST);
  return names.length === 0 ? [] : [{ id: "story-zero-to", args: { names } }];
}

/**
 * Whether every element of a gradient is zero; undefined if the elements are not known.
 * @param {Contents} contents
 */
function isZero(contents) {
  if (contents.kind === "cells")
    return contents.values.every((value) => [value].flat().every((part) => part === 0 || part === false));
  if (contents.kind === "unknown") return undefined;
  return contents.min === 0 && contents.max === 0 && !contents.nan_count && !contents.inf_count;
}

/**
 * Whether a Node, or Python code that the Node called, raised an exception.
 * @param {Index} index
 * @param {State} state
 */
function isBroken(index, { k, stop, tick }) {
  const next = index.stops[k + 1];
  const isRaised = next?.kind === "exception" && next.step.parent === stop.step.parent;
  return isRaised || endsInException(index.steps, stop.step.id, tick);
}

/**
 * Whether the last of the steps that began during a step is an exception.
 * @param {Index["steps"]} steps
 * @param {number} id
 * @param {number} tick tick at which the step ended
 */
function endsInException(steps, id, tick) {
  const after = firstWhere(steps.length, (place) => (steps[place]?.began ?? 0) > tick);
  return after - 1 > id && steps[after - 1]?.kind === "exception";
}

/**
 * The sentence about the snippet's functions that a Node called: hooks, or the backward of a custom
 * `autograd.Function`.
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
 * Removes the version from the phrase for a saved tensor.
 * @param {Sentence} phrase
 * @returns {Sentence}
 */
function bare(phrase) {
  return { id: phrase.id, args: { ...phrase.args, version: -1 } };
}

/**
 * The gradients that a Node received since its previous run. Autograd adds them up.
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
 * The sentences about the whole backward of a statement, after its Nodes have run: how many ran, and which
 * leaves got gradients.
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
 * The runs of Nodes that began at or after the tick `began` and ended by `tick`.
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
