/**
 * Owns the part of a "Why?" answer that follows a gradient back to the beginning of backward: for each Node,
 * the gradients that it received and the formula of the gradient that it sent. Pure.
 */

import { at, stopAtTick } from "../../run/facts.js";
import { arrivalsIn } from "../../run/flows.js";
import { grouped } from "../../run/grouped.js";
import { once } from "../../run/lookups.js";
import { everName } from "../../run/naming/naming.js";
import { placeOfStep } from "../../run/places.js";
import { waysOf } from "../../run/values/derivatives.js";
import { element, shortName, tuple } from "../../run/values/format.js";
import { elementsAt, smallOf } from "../../run/values/recorded.js";
import { added, isRecorded, isSum, partsOf, totalOf, worstOf } from "./parts.js";
import { gradientIn, MOST, readAt, written } from "./why-values.js";

/** @import {Gradient, Node, SavedTensor} from "../../run/trace.d.ts" */
/** @import {Small} from "../../run/values/small-tensor.js" */
/** @import {Scalars} from "../../run/values/ways.js" */
/** @import {Index, Run} from "../../run/types.d.ts" */
/** @import {Branch, Branching} from "./parts.js" */
/** @import {Hop, Link} from "./why.js" */

/**
 * The hops from a gradient back to the root of backward. The first hop is the Node that sent the gradient.
 * @param {Index} index
 * @param {Gradient | undefined} arrived
 * @param {Branching} branches
 * @returns {Hop[]}
 */
export function wayBack(index, arrived, branches) {
  /** @type {Hop[]} */
  const hops = [];
  for (let next = arrived; next !== undefined; ) {
    const sent = next;
    const run = runOf(index, sent);
    const received =
      run === undefined ? [] : arrivalsIn(index, run.statement, run).filter(({ tick }) => tick < sent.tick);
    const branch = received.length > 1 ? branches(received.length, worstOf(received, 0)) : null;
    hops.push(once(() => linksOf(index, sent, run, received, branch)));
    next = received[branch?.followed ?? 0];
  }
  return hops;
}

/**
 * The run of a Node during which the Node sent a gradient.
 * @param {Index} index
 * @param {Gradient} sent
 */
function runOf(index, sent) {
  return index.lookups
    .runs_of()(sent.node ?? -1)
    .find(({ began, ended }) => began <= sent.tick && sent.tick <= ended);
}

/**
 * @param {Index} index
 * @param {Gradient} sent
 * @param {Run | undefined} run
 * @param {Gradient[]} received
 * @param {Branch | null} branch
 * @returns {Link[]}
 */
function linksOf(index, sent, run, received, branch) {
  const stop = stopAtTick(index, sent.tick);
  const thing = { node: String(sent.node ?? sent.to) };
  if (sent.node === null)
    return [
      { sentence: { id: "why-root", args: { value: gradientIn(sent.value, sent.shape) } }, stop, thing },
    ];
  const links = computed(index, sent, run, received);
  if (received.length === 0) links.push({ sentence: { id: "why-unknown", args: {} }, stop: null, thing });
  if (branch !== null)
    links.push({
      sentence: {
        id: isSum(received) ? "why-several" : "why-outputs",
        args: { count: received.length },
      },
      parts: partsOf(index, received, branch, totalOf(received)),
      stop: stopAtTick(index, received.at(-1)?.tick ?? 0),
      thing,
    });
  return links;
}

/**
 * The links about how a Node computed the gradient that it sent: the formula with its operands (without a
 * known formula, only the operands), and the saved tensors that were modified before.
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
  const tensors = used.flatMap(({ tensor }) => tensor ?? []);
  return [
    { sentence, ...(found && { formula: found.formula }), operands, tensors, stop, thing },
    ...used.flatMap((each) => changedSince(index, each, run.began)),
  ];
}

/**
 * The formula whose value equals the recorded gradient that a Node sent; undefined if no known formula does.
 * @param {Index} index
 * @param {Gradient} sent
 * @param {Run} run
 * @param {Gradient[]} received
 * @param {readonly SavedTensor[]} saved
 * @returns {{formula: string, words: Set<string>, used: SavedTensor[]} | undefined}
 */
function formulaOf(index, sent, run, received, saved) {
  const node = index.nodes[sent.node ?? -1];
  const edge = sent.edge ?? -1;
  const ways = waysOf(node?.name ?? "", edge);
  const outputs = byOutput(received);
  const [grad] = outputs?.values() ?? [];
  if (outputs === null || grad === undefined || ways.length === 0) return undefined;
  const values = Object.fromEntries(
    saved.flatMap(({ name, geometry }) => {
      const small = smallOf(elementsAt(index, geometry, run.began), geometry.shape);
      return small === null ? [] : [[name, small]];
    }),
  );
  const way = ways.find(({ of }) => {
    const result = of({
      grad,
      outputs,
      edge,
      shape: sent.shape,
      saved: values,
      scalars: node?.scalars ?? {},
    });
    return result ? isRecorded(result, sent.value, sent.shape) : false;
  });
  if (way === undefined) return undefined;
  const words = new Set(way.formula.split(/\W+/));
  return { formula: way.formula, words, used: saved.filter(({ name }) => words.has(name)) };
}

/**
 * For each output of the forward operator, the sum of the gradients that its Node received; null if a
 * gradient is too large or unknown.
 * @param {Gradient[]} received
 */
function byOutput(received) {
  /** @type {Map<number, Small>} */
  const sums = new Map();
  for (const [output, gradients] of grouped(received, ({ input_nr }) => input_nr)) {
    const sum = added(gradients);
    if (sum === null) return null;
    sums.set(output, sum);
  }
  return sums;
}

/**
 * The names and values of a Node's operands: the gradient that the Node received (or the sum of several),
 * and its saved tensors.
 * @param {Index} index
 * @param {Run} run
 * @param {Gradient[]} received
 * @param {readonly SavedTensor[]} used
 * @returns {[string, string][]}
 */
function operandsOf(index, run, received, used) {
  const [only, ...others] = received;
  const { began } = run;
  const grad = others.length > 0 ? totalOf(received) : only && written(only.value, only.shape);
  return [
    .../** @type {[string, string][]} */ (grad ? [["grad", grad]] : []),
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
 * The link of the chain that says that a saved tensor was overwritten before its Node ran.
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
 * The name of a saved tensor in its Node and the name of the tensor, such as `self = d`.
 * @param {Index} index
 * @param {SavedTensor} saved
 */
function operandName(index, saved) {
  const name = everName(index, saved.tensor);
  return name === undefined || name === saved.name ? saved.name : `${saved.name} = ${name}`;
}
