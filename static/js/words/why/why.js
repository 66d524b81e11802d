/**
 * Owns the answer to "Why is this value so?": a chain of links from a gradient or a tensor back to its
 * origin. Each link has a sentence, the item that the sentence is about, and a stop. Pure.
 */

import { at, stopAtTick } from "../../run/facts.js";
import { arrivalsIn } from "../../run/flows.js";
import { once } from "../../run/lookups.js";
import { gradName, nameOrId } from "../../run/naming/naming.js";
import { elementsAt } from "../../run/values/recorded.js";
import { added, branching, isRecorded, partsOf, worstOf } from "./parts.js";
import { wayBack } from "./way-back.js";
import { gradientIn, textOf, whyValue, writtenSince, written } from "./why-values.js";

/** @import {Gradient} from "../../run/trace.d.ts" */
/** @import {Choice} from "../../run/stops/why-address.js" */
/** @import {Index, Run, Sentence} from "../../run/types.d.ts" */
/** @import {Branch, Parts} from "./parts.js" */

/**
 * A link of the chain: a sentence with what it is about. `operands`: the values of the names in the formula;
 * `thing`: the item that the sentence is about, in the form of the data attributes in the pictures.
 * @typedef {object} Link
 * @property {Sentence} sentence
 * @property {string} [formula]
 * @property {[name: string, value: string][]} [operands]
 * @property {number[]} [tensors] the tensors of the operands, and the result
 * @property {Parts} [parts]
 * @property {number | null} stop
 * @property {Partial<Record<"node" | "saved" | "tensor" | "gradient", string>>} thing
 */
/** @typedef {() => Link[]} Hop the links of one Node or tensor of the chain, computed at the first call */
/** @typedef {{title: Sentence, hops: Hop[]}} Why */

/**
 * The chain for the value of a tensor, or of the `grad` of a leaf, at a tick.
 * @param {Index} index
 * @param {number} tick
 * @param {{kind: "tensor" | "grad", id: number}} subject `id`: for a `grad`, the id of the leaf
 * @param {readonly Choice[]} choices the parts that the chain follows
 * @returns {Why}
 */
export function whyOf(index, tick, { kind, id }, choices) {
  const owner = kind === "grad" || hasGrad(index, tick, id) ? id : ownerOf(index, tick, id);
  if (owner === null) return whyValue(index, tick, id, branching(choices));
  const name = gradName(nameOrId(index, owner));
  const grad = at(index.tensors[owner]?.grad, tick) ?? null;
  if (grad === null)
    return { title: { id: "why-none", args: { name } }, hops: [() => [whyNone(index, tick, owner)]] };
  const value = textOf(index, tick, grad);
  return { title: { id: "why-value", args: { name, value } }, hops: whyGrad(index, tick, owner, choices) };
}

/**
 * Whether a tensor is a leaf that requires grad. For such a tensor "Why?" asks about its gradient.
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 */
function hasGrad(index, tick, id) {
  return at(index.tensors[id]?.requires_grad, tick) === true && at(index.tensors[id]?.is_leaf, tick) === true;
}

/**
 * The id of the tensor whose `grad` is a given tensor; null if there is none.
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 */
function ownerOf(index, tick, id) {
  return (
    index.lookups
      .owners_of()(id)
      .find(({ grad }) => at(grad, tick) === id)?.id ?? null
  );
}

/**
 * The link with the reason why the `grad` of a tensor is None, as far as the trace contains it.
 * @param {Index} index
 * @param {number} tick
 * @param {number} leaf
 * @returns {Link}
 */
function whyNone(index, tick, leaf) {
  const tensor = index.tensors[leaf];
  const name = nameOrId(index, leaf);
  const about = { tensor: String(leaf) };
  const link = (
    /** @type {string} */ id,
    /** @type {Sentence["args"]} */ args = {},
    /** @type {number | null} */ stop = null,
  ) => ({
    sentence: { id, args: { name, ...args } },
    stop,
    thing: about,
  });
  const made = tensor?.made_by == null ? null : stopAtTick(index, tensor.born);
  if (at(tensor?.requires_grad, tick) !== true) return link("why-none-plain", {}, made);
  if (at(tensor?.is_leaf, tick) !== true) return link("why-none-result", {}, made);
  const given = (tensor?.grad ?? []).findLast(([since, grad]) => since <= tick && grad !== null);
  const emptied = (tensor?.grad ?? []).find(
    ([since]) => given !== undefined && since > given[0] && since <= tick,
  );
  if (emptied !== undefined) {
    const stop = stopAtTick(index, emptied[0]);
    return link("why-none-reset", { line: index.stops[stop]?.place ?? 0 }, stop);
  }
  const nodes = index.lookups
    .leaves_of()(leaf)
    .filter(({ born }) => born <= tick);
  if (nodes.length === 0) return link("why-none-unused", {}, made);
  return link("why-none-before", {}, stopAtTick(index, nodes[0]?.born ?? tick));
}

/**
 * @param {Index} index
 * @param {number} tick
 * @param {number} leaf
 * @param {readonly Choice[]} choices
 * @returns {Hop[]}
 */
function whyGrad(index, tick, leaf, choices) {
  const runs = addedSince(index, tick, leaf);
  const last = runs.at(-1);
  if (last === undefined)
    return [
      () => [{ sentence: { id: "why-unknown", args: {} }, stop: null, thing: { tensor: String(leaf) } }],
    ];
  const arrived = runs.map((run) => arrivalsIn(index, run.statement, run));
  const all = arrived.flat();
  const branches = branching(choices);
  const latest = all.length - (arrived.at(-1)?.length ?? 0);
  const branch = all.length > 1 ? branches(all.length, worstOf(all, latest)) : null;
  return [
    once(() => accumulated(index, tick, leaf, runs, all, branch)),
    ...wayBack(index, all[branch?.followed ?? 0], branches),
  ];
}

/**
 * The runs of AccumulateGrad whose gradients add up to a leaf's `grad`. Runs before the `grad` was last set,
 * zeroed or written by other code do not count.
 * @param {Index} index
 * @param {number} tick
 * @param {number} leaf
 * @returns {Run[]} in the order of their ends
 */
function addedSince(index, tick, leaf) {
  const runs = index.lookups
    .leaves_of()(leaf)
    .flatMap((node) => index.lookups.runs_of()(node.id))
    .filter((run) => run.ended <= tick)
    .sort((a, b) => a.ended - b.ended);
  const last = runs.at(-1)?.began ?? -1;
  const grads = index.tensors[leaf]?.grad ?? [];
  const storages = new Set(grads.map(([since, id]) => storageAt(index, id, since)));
  const changed = [
    ...grads.map(([since]) => since),
    ...index.lookups
      .writes()
      .upTo(last)
      .filter(({ storage }) => storages.has(storage))
      .map((write) => write.tick),
  ];
  const ofOthers = changed.filter(
    (each) => each < last && !runs.some(({ began, ended }) => began <= each && each <= ended),
  );
  const since = ofOthers.reduce((latest, each) => Math.max(latest, each), -1);
  return runs.filter(({ began }) => began > since);
}

/**
 * @param {Index} index
 * @param {number | null} tensor
 * @param {number} tick
 */
function storageAt(index, tensor, tick) {
  return at(index.tensors[tensor ?? -1]?.geometry, tick)?.storage ?? null;
}

/**
 * The links about the gradients that AccumulateGrad received in the given runs, and about a later write into
 * the `grad`.
 * @param {Index} index
 * @param {number} tick
 * @param {number} leaf
 * @param {Run[]} runs
 * @param {Gradient[]} arrived
 * @param {Branch | null} branch
 * @returns {Link[]}
 */
function accumulated(index, tick, leaf, runs, arrived, branch) {
  const last = /** @type {Run} */ (runs.at(-1));
  const stop = stopAtTick(index, last.ended);
  const [first] = arrived;
  const value =
    first !== undefined && branch === null
      ? gradientIn(first.value, first.shape)
      : { id: "phrase-gradients-count", args: { count: arrived.length } };
  const sentence = { id: "why-accumulated", args: { value, times: runs.length } };
  const grad = at(index.tensors[leaf]?.grad, index.stops[stop]?.tick ?? last.ended) ?? -1;
  const geometry = at(index.tensors[grad]?.geometry, tick);
  const sum = branch === null ? null : added(arrived);
  const held = geometry ? elementsAt(index, geometry, index.stops[stop]?.tick ?? last.ended) : null;
  const isSum = geometry && held && sum && isRecorded(sum, held, geometry.shape);
  const total = isSum ? written(held, geometry.shape) : null;
  return [
    {
      sentence,
      ...(branch && { parts: partsOf(index, arrived, branch, total) }),
      tensors: grad < 0 ? [] : [grad],
      stop,
      thing: { node: String(last.node) },
    },
    ...writtenSince(index, grad, last.ended, tick),
  ];
}
