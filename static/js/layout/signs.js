/** Finds the signs that the pictures of a run ever show, because the legend explains only these. Pure. */

import { at } from "../run/facts.js";
import { finished } from "../run/slices.js";
import { unreachedIn } from "../run/values/unreached.js";
import { lookAt } from "../run/state-at.js";

/** @import {Tensor} from "../run/trace.d.ts" */
/** @import {GraphLayout, Index, MemoryLayout} from "../run/types.d.ts" */

/** The number of rows after which a sliced task yields. */
const PAUSE = 100;

/**
 * The names of the signs that the pictures show at any step of the run. The legend is the same at every
 * step.
 * @param {Index} index
 * @param {GraphLayout} graph
 * @param {MemoryLayout} memory
 * @returns {Set<string>}
 */
export function signsOf(index, graph, memory) {
  const rows = known.get(memory) ?? finished(signsOfRows(index, memory));
  known.set(memory, rows);
  const hasGraph = graph.boxes.length > 0;
  const stale = hasGraph && index.saved_tensors.some(isEverStale);
  /** @type {Record<string, boolean>} */
  const shown = {
    ...rows,
    pocket: hasGraph && index.saved_tensors.length > 0,
    stale,
    written: index.writes.length > 0,
    edge: hasGraph && index.nodes.some(({ edges }) => edges.some((edge) => edge !== null)),
    link: stale,
    flow: hasGraph && index.gradients.length > 0,
    warning: index.findings.length > 0,
    wrong: index.corrected.answer?.kind === "right",
    unreached: unreachedIn(index).leaves.size > 0,
    clash: index.findings.some(({ clashes = [] }) => clashes.length > 0),
    ghost: rows.ghost || index.nodes.some(({ freed }) => freed !== undefined),
  };
  return new Set(Object.keys(shown).filter((name) => shown[name]));
}

/**
 * @typedef {Record<
 *   "leaf" | "result" | "plain" | "version" | "window" | "view" | "counter" | "ghost" | "unread",
 *   boolean
 * >} RowSigns
 */

/**
 * The signs in the rows of each layout for which they are known.
 * @type {WeakMap<MemoryLayout, RowSigns>}
 */
const known = new WeakMap();

/**
 * Finds the signs of all rows, in slices.
 * @param {Index} index
 * @param {MemoryLayout} memory
 * @returns {Generator<void, void>}
 */
export function* preparingSigns(index, memory) {
  known.set(memory, known.get(memory) ?? (yield* signsOfRows(index, memory)));
}

/**
 * @param {Index} index
 * @param {MemoryLayout} memory
 * @returns {Generator<void, RowSigns>}
 */
function* signsOfRows(index, { rows, spares }) {
  /** @type {RowSigns} */
  const signs = {
    ...{ leaf: false, result: false, plain: false, version: false },
    ...{ window: false, view: false, counter: false, ghost: false, unread: false },
  };
  let number = 0;
  for (const some of [rows, spares?.rows ?? []])
    for (const row of some) {
      number += 1;
      if (number % PAUSE === 0) yield;
      const tensors = row.slots.flatMap(({ tensor }) => index.tensors[tensor] ?? []);
      if (!(signs.leaf && signs.result && signs.plain)) for (const tensor of tensors) addLooks(signs, tensor);
      signs.version ||= row.slots.length > 0;
      signs.window ||= row.strip !== null && row.slots.length > 0;
      signs.view ||= hasView(tensors);
      signs.counter ||= sharesCounter(tensors);
      signs.unread ||= row.strip !== null && row.strip.unread !== null;
      signs.ghost ||= index.storages[row.storage ?? -1]?.freed !== undefined;
    }
  return signs;
}

/**
 * Adds the sign for every look that a tensor ever has, such as leaf or result.
 * @param {RowSigns} signs
 * @param {Tensor} tensor
 */
function addLooks(signs, tensor) {
  const { is_leaf = [], requires_grad = [], grad_fn = [] } = tensor;
  for (const facts of [is_leaf, requires_grad, grad_fn])
    for (const [tick] of facts) signs[lookAt(tensor, tick)] = true;
  if (is_leaf.length + requires_grad.length + grad_fn.length === 0) signs.plain = true;
}

/** @param {Index["saved_tensors"][number]} saved */
function isEverStale({ outdated, overwritten, released = Infinity }) {
  return [outdated, overwritten].some((facts) => at(facts, released - 0.5) !== undefined);
}

/** @param {Tensor[]} tensors of one row */
function hasView(tensors) {
  if (tensors.length < 2) return false;
  const ids = new Set(tensors.map(({ id }) => id));
  return tensors.some(({ id, base }) => base?.some(([, of]) => of !== null && of !== id && ids.has(of)));
}

/** @param {Tensor[]} tensors of one row */
function sharesCounter(tensors) {
  if (tensors.length < 2) return false;
  const counters = tensors.flatMap(({ version_counter }) => {
    const numbers = (version_counter ?? []).flatMap(([, counter]) =>
      typeof counter === "number" ? counter : [],
    );
    return [...new Set(numbers)];
  });
  return new Set(counters).size < counters.length;
}
