/**
 * Owns which items of the pictures and lines of the code are marked for the chain of a "Why?" answer, each
 * with the number of its hop. Pure.
 */

import { addTo } from "../../run/grouped.js";

/** @import {Chain} from "../../run/types.d.ts" */
/** @import {Hop, Link} from "./why.js" */

/** The maximum number of hops of a chain that are marked, because every marked hop must be computed. */
const MOST_MARKED = 200;

/**
 * @param {Hop[]} hops
 * @returns {Chain}
 */
export function chainOf(hops) {
  /** @type {Chain} */
  const chain = {
    nodes: new Map(),
    tensors: new Map(),
    saved: new Set(),
    gradients: new Set(),
    lines: new Set(),
  };
  for (const [place, hop] of hops.slice(0, MOST_MARKED).entries())
    for (const link of hop()) add(chain, link, place + 1);
  return chain;
}

/**
 * @param {Chain} chain
 * @param {Link} link
 * @param {number} number
 */
function add(chain, { sentence, thing, tensors = [] }, number) {
  const { node = thing.gradient?.split(".")[0], saved, tensor, gradient } = thing;
  if (node !== undefined) addOnce(chain.nodes, Number(node), number);
  if (saved !== undefined) chain.saved.add(Number(saved));
  if (gradient !== undefined) chain.gradients.add(gradient);
  if (tensor !== undefined) addOnce(chain.tensors, Number(tensor), number);
  for (const each of tensors) addOnce(chain.tensors, each, number);
  const { line } = sentence.args;
  if (typeof line === "number") chain.lines.add(line);
}

/**
 * @param {Map<number, number[]>} numbers
 * @param {number} id
 * @param {number} number
 */
function addOnce(numbers, id, number) {
  if (numbers.get(id)?.at(-1) !== number) addTo(numbers, id, number);
}
