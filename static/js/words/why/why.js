/**
 * Owns why a value is what it is: a chain of links from a gradient or a tensor back to where it began. Each
 * link is a sentence, what it is about, and the stop to which it leads. Pure.
 */

import { at, stopAtTick } from "../../run/facts.js";
import { arrivalsIn } from "../../run/flows.js";
import { everName, gradName, nameOrId } from "../../run/naming/naming.js";
import { placeOfStep } from "../../run/places.js";
import { waysOf } from "../../run/values/derivatives.js";
import { element, shortName, tuple } from "../../run/values/format.js";
import { elementsAt, smallOf } from "../../run/values/recorded.js";
import { isClose } from "../../run/values/small-tensor.js";
import { gradientIn, MOST, readAt, textOf, whyValue, written } from "./why-values.js";

/** @import {Gradient, Node, SavedTensor} from "../../run/trace.d.ts" */
/** @import {Scalars} from "../../run/values/derivatives.js" */
/** @import {Index, Run, Sentence} from "../../run/types.d.ts" */

/**
 * `operands`: what the names in the formula stand for; `thing`: what it is about, as in an element's data.
 * @typedef {object} Link
 * @property {Sentence} sentence
 * @property {string} [formula]
 * @property {[name: string, value: string][]} [operands]
 * @property {number | null} stop
 * @property {Partial<Record<"node" | "saved" | "tensor" | "gradient", string>>} thing
 */
/** @typedef {{title: Sentence, links: Link[]}} Why */

/** Relative; half a digit less than the dtype holds, since a product may be summed in another order. */
const TOLERANCE = /** @type {Readonly<Record<string, number>>} */ ({
  float64: 1e-9,
  float32: 1e-4,
  float16: 1e-2,
  bfloat16: 6e-2,
});

/**
 * Why a tensor, or the `grad` of a leaf, is what it is at a tick.
 * @param {Index} index
 * @param {number} tick
 * @param {{kind: "tensor" | "grad", id: number}} subject `id`: of the leaf, for its `grad`
 * @returns {Why}
 */
export function whyOf(index, tick, { kind, id }) {
  const owner = kind === "grad" || hasGrad(index, tick, id) ? id : ownerOf(index, tick, id);
  if (owner === null) return whyValue(index, tick, id);
  const name = gradName(nameOrId(index, owner));
  const grad = at(index.tensors[owner]?.grad, tick) ?? null;
  if (grad === null)
    return { title: { id: "why-none", args: { name } }, links: [whyNone(index, tick, owner)] };
  const value = textOf(index, tick, grad);
  return { title: { id: "why-value", args: { name, value } }, links: whyGrad(index, tick, owner) };
}

/**
 * Whether a tensor is a leaf that requires grad: of such, its gradient is the question.
 * @param {Index} index
 * @param {number} tick
 * @param {number} id
 */
function hasGrad(index, tick, id) {
  return at(index.tensors[id]?.requires_grad, tick) === true && at(index.tensors[id]?.is_leaf, tick) === true;
}

/**
 * The tensor whose `grad` this is.
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
 * Why `grad` is None; only what the trace says for certain.
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
 * @returns {Link[]}
 */
function whyGrad(index, tick, leaf) {
  const runs = index.lookups
    .leaves_of()(leaf)
    .flatMap((node) => index.lookups.runs_of()(node.id))
    .filter((run) => run.ended <= tick)
    .sort((a, b) => a.ended - b.ended);
  const run = runs.at(-1);
  if (run === undefined)
    return [{ sentence: { id: "why-unknown", args: {} }, stop: null, thing: { tensor: String(leaf) } }];
  const arrived = arrivalsIn(index, run.statement, run);
  /** @type {Link[]} */
  const links = [
    {
      sentence: { id: "why-accumulated", args: { value: sumOf(arrived), times: runs.length } },
      stop: stopAtTick(index, run.ended),
      thing: { node: String(run.node) },
    },
  ];
  follow(index, arrived, links);
  return links;
}

/**
 * Adds the links of a gradient's way, from the Node that sent it back to the root.
 * @param {Index} index
 * @param {Gradient[]} arrived
 * @param {Link[]} links
 */
function follow(index, arrived, links) {
  let waiting = arrived;
  while (waiting.length > 0) {
    const [sent] = waiting;
    if (sent === undefined) return;
    if (waiting.length > 1) links.push(several(index, waiting));
    if (links.length >= MOST.links) {
      links.push({ sentence: { id: "why-further", args: {} }, stop: null, thing: {} });
      return;
    }
    if (sent.node === null) {
      links.push({
        sentence: { id: "why-root", args: { value: gradientIn(sent.value, sent.shape) } },
        stop: stopAtTick(index, sent.tick),
        thing: { node: String(sent.to) },
      });
      return;
    }
    const run = runOf(index, sent);
    const received = run === undefined ? [] : arrivalsIn(index, run.statement, run);
    links.push(...computed(index, sent, run, received));
    waiting = received;
  }
}

/**
 * That a Node received several gradients, of which the first is followed.
 * @param {Index} index
 * @param {Gradient[]} arrived
 * @returns {Link}
 */
function several(index, arrived) {
  const sentence = { id: "why-several", args: { count: arrived.length } };
  return {
    sentence,
    stop: stopAtTick(index, arrived[0]?.tick ?? 0),
    thing: { node: String(arrived[0]?.to) },
  };
}

/**
 * How a Node computed what it sent, and which of its saved tensors had changed by then. Without a formula,
 * from what.
 * @param {Index} index
 * @param {Gradient} sent
 * @param {Run | undefined} run
 * @param {Gradient[]} received
 * @returns {Link[]}
 */
function computed(index, sent, run, received) {
  const node = /** @type {Node} */ (index.nodes[sent.node ?? -1]);
  const args = {
    node: shortName(node.name),
    line: placeOfStep(index, node.made_by),
    value: gradientIn(sent.value, sent.shape),
  };
  const stop = stopAtTick(index, sent.tick);
  const thing = { gradient: `${sent.node}.${sent.edge}` };
  const sentence = { id: "why-sent", args };
  if (run === undefined) return [{ sentence, stop, thing }];
  const saved = index.saved_of[node.id] ?? [];
  const found = formulaOf(index, sent, run, received, saved);
  const used = found?.used ?? saved.slice(0, MOST.operands);
  const scalars = Object.entries(node.scalars ?? {}).filter(([name]) => found?.words.has(name) ?? true);
  const operands = [
    ...operandsOf(index, run, received, used),
    ...scalars.map(([name, value]) => /** @type {[string, string]} */ ([name, scalarText(value)])),
  ];
  return [
    { sentence, ...(found && { formula: found.formula }), operands, stop, thing },
    ...used.flatMap((each) => changedSince(index, each, run.began)),
  ];
}

/**
 * The formula by which what a Node sent is recomputed exactly; undefined where none is known or it does not
 * give what was sent.
 * @param {Index} index
 * @param {Gradient} sent
 * @param {Run} run
 * @param {Gradient[]} received
 * @param {readonly SavedTensor[]} saved
 * @returns {{formula: string, words: Set<string>, used: SavedTensor[]} | undefined}
 */
function formulaOf(index, sent, run, received, saved) {
  const node = index.nodes[sent.node ?? -1];
  const [only] = received;
  const [grad, expected] = [only && smallOf(only.value, only.shape), smallOf(sent.value, sent.shape)];
  const ways = waysOf(node?.name ?? "", sent.edge ?? -1);
  if (only === undefined || received.length !== 1 || !grad || !expected || ways.length === 0)
    return undefined;
  const values = Object.fromEntries(
    saved.flatMap(({ name, geometry }) => {
      const small = smallOf(elementsAt(index, geometry, run.began), geometry.shape);
      return small === null ? [] : [[name, small]];
    }),
  );
  const tolerance = TOLERANCE[sent.value.kind === "cells" ? sent.value.dtype : ""] ?? 0;
  const way = ways.find(({ of }) => {
    const result = of({ grad, shape: sent.shape, saved: values, scalars: node?.scalars ?? {} });
    return result ? isClose(result, expected, tolerance) : false;
  });
  if (way === undefined) return undefined;
  const words = new Set(way.formula.split(/\W+/));
  return { formula: way.formula, words, used: saved.filter(({ name }) => words.has(name)) };
}

/**
 * The gradient that a Node received, and what it had saved, by their names.
 * @param {Index} index
 * @param {Run} run
 * @param {Gradient[]} received
 * @param {readonly SavedTensor[]} used
 * @returns {[string, string][]}
 */
function operandsOf(index, run, received, used) {
  const [only, ...others] = received;
  const { began } = run;
  return [
    .../** @type {[string, string][]} */ (
      only === undefined || others.length > 0 ? [] : [["grad", written(only.value, only.shape)]]
    ),
    ...used.map(
      (each) =>
        /** @type {[string, string]} */ ([operandName(index, each), readAt(index, each.geometry, began)]),
    ),
  ];
}

/**
 * A scalar that a Node saved, as Python writes it.
 * @param {Scalars[string]} value
 */
function scalarText(value) {
  return Array.isArray(value) ? tuple(value) : element(value, "");
}

/**
 * That a saved tensor held other values when the Node saved it than when it ran.
 * @param {Index} index
 * @param {SavedTensor} saved
 * @param {number} tick
 * @returns {Link[]}
 */
function changedSince(index, saved, tick) {
  const write = index.writes[at(saved.overwritten, tick) ?? -1];
  if (write === undefined) return [];
  const [before, after] = [readAt(index, saved.geometry, saved.tick), readAt(index, saved.geometry, tick)];
  const stop = stopAtTick(index, write.tick);
  const args = { name: operandName(index, saved), line: index.stops[stop]?.place ?? 0 };
  const sentence =
    before === after ? { id: "why-written", args } : { id: "why-stale", args: { ...args, before, after } };
  return [{ sentence, stop, thing: { saved: String(saved.id) } }];
}

/**
 * The run in which a Node sent a gradient.
 * @param {Index} index
 * @param {Gradient} sent
 */
function runOf(index, sent) {
  return index.lookups
    .runs_of()(sent.node ?? -1)
    .find(({ began, ended }) => began <= sent.tick && sent.tick <= ended);
}

/**
 * @param {Gradient[]} arrived
 * @returns {Sentence}
 */
function sumOf(arrived) {
  const [first] = arrived;
  if (first !== undefined && arrived.length === 1) return gradientIn(first.value, first.shape);
  return { id: "phrase-gradients-count", args: { count: arrived.length } };
}

/**
 * The slot of a saved tensor, and the name of the tensor: `self = d`.
 * @param {Index} index
 * @param {SavedTensor} saved
 */
function operandName(index, saved) {
  const name = everName(index, saved.tensor);
  return name === undefined || name === saved.name ? saved.name : `${saved.name} = ${name}`;
}
