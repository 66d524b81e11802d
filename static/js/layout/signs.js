/** Owns which signs of the legend a run ever shows: those of the other signs would explain nothing. Pure. */

import { at } from "../run/facts.js";
import { lookAt } from "../run/state-at.js";

/** @import {Tensor} from "../run/trace.d.ts" */
/** @import {GraphLayout, Index, MemoryLayout, MemoryRow} from "../run/types.d.ts" */

/**
 * The names of the signs, of the whole run: the legend is the same at each of its steps.
 * @param {Index} index
 * @param {GraphLayout} graph
 * @param {MemoryLayout} memory
 * @returns {Set<string>}
 */
export function signsOf(index, graph, memory) {
  const rows = [...memory.rows, ...(memory.spares?.rows ?? [])];
  const hasGraph = graph.boxes.length > 0;
  const stale = hasGraph && index.saved_tensors.some(isEverStale);
  /** @type {Record<string, boolean>} */
  const shown = {
    ...looksOf(index, rows),
    pocket: hasGraph && index.saved_tensors.length > 0,
    stale,
    version: rows.some(({ slots }) => slots.length > 0),
    written: index.writes.length > 0,
    edge: hasGraph && index.nodes.some(({ edges }) => edges.some((edge) => edge !== null)),
    window: rows.some(({ strip, slots }) => strip !== null && slots.length > 0),
    link: stale,
    flow: hasGraph && index.gradients.length > 0,
    view: rows.some((row) => hasView(index, row)),
    counter: rows.some((row) => sharesCounter(index, row)),
    warning: index.findings.length > 0,
    ghost:
      index.nodes.some(({ freed }) => freed !== undefined) ||
      rows.some(({ storage }) => index.storages[storage ?? -1]?.freed !== undefined),
  };
  return new Set(Object.keys(shown).filter((name) => shown[name]));
}

/**
 * @param {Index} index
 * @param {MemoryRow} row
 * @returns {Tensor[]}
 */
function tensorsIn(index, { slots }) {
  return slots.flatMap(({ tensor }) => index.tensors[tensor] ?? []);
}

/**
 * Which looks tensors ever have.
 * @param {Index} index
 * @param {MemoryRow[]} rows
 */
function looksOf(index, rows) {
  const looks = { leaf: false, result: false, plain: false };
  for (const row of rows)
    for (const tensor of tensorsIn(index, row)) {
      const { is_leaf = [], requires_grad = [], grad_fn = [] } = tensor;
      for (const [tick] of [...is_leaf, ...requires_grad, ...grad_fn]) looks[lookAt(tensor, tick)] = true;
      if (is_leaf.length + requires_grad.length + grad_fn.length === 0) looks.plain = true;
    }
  return looks;
}

/** @param {Index["saved_tensors"][number]} saved */
function isEverStale({ outdated, overwritten, released = Infinity }) {
  return [outdated, overwritten].some((facts) => at(facts, released - 0.5) !== undefined);
}

/**
 * @param {Index} index
 * @param {MemoryRow} row
 */
function hasView(index, row) {
  const tensors = tensorsIn(index, row);
  const ids = new Set(tensors.map(({ id }) => id));
  return tensors.some(({ id, base }) => base?.some(([, of]) => of !== null && of !== id && ids.has(of)));
}

/**
 * @param {Index} index
 * @param {MemoryRow} row
 */
function sharesCounter(index, row) {
  const counters = tensorsIn(index, row).flatMap(({ version_counter }) => {
    const numbers = (version_counter ?? []).flatMap(([, counter]) =>
      typeof counter === "number" ? counter : [],
    );
    return [...new Set(numbers)];
  });
  return new Set(counters).size < counters.length;
}
