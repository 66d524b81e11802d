/** Owns how large the gradients are that reach a box of the graph at a step. */

import { element } from "../run/format.js";
import { perRun } from "../run/per-run.js";

/** @import {Gradient, Value} from "../run/trace.d.ts" */
/** @import {GraphBox, GraphEdge, GraphLayout, State} from "../run/types.d.ts" */

/** The edges that lead to each box. */
const edgesTo = perRun((/** @type {GraphLayout} */ layout) => {
  /** @type {Map<string, GraphEdge[]>} */
  const edges = new Map();
  for (const edge of layout.edges) {
    const list = edges.get(edge.to ?? "");
    if (list) list.push(edge);
    else edges.set(edge.to ?? "", [edge]);
  }
  return edges;
});

/**
 * The largest absolute value of the gradients that reached a box in this backward, as it is printed; "": none
 * did, or their values are not known.
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {GraphBox} box
 */
export function largestGradient(layout, state, { key }) {
  let largest = -1;
  for (const edge of edgesTo(layout).get(key) ?? []) {
    const flow = edge.merged.length === 0 ? state.arrived(edge.key) : state.arrivedLast(edge.merged);
    if (flow !== undefined) largest = Math.max(largest, largestIn(flow.gradient));
  }
  if (Number.isNaN(largest)) return "nan";
  return largest < 0 ? "" : largest === Infinity ? "inf" : element(Number(largest.toPrecision(3)), "float32");
}

/** The largest absolute value in a gradient, NaN where one is; -1: it is not known. */
const largestIn = perRun((/** @type {Gradient} */ { value }) => {
  if (value.kind === "unknown") return -1;
  if (value.kind === "summary" && value.nan_count > 0) return NaN;
  if (value.kind === "summary" && value.inf_count > 0) return Infinity;
  const values = value.kind === "cells" ? value.values : [value.min, value.max];
  return values.reduce((/** @type {number} */ most, each) => Math.max(most, sizeOf(each)), -1);
});

/** @param {Value | null} value */
function sizeOf(value) {
  if (value === null) return -1;
  if (Array.isArray(value)) return Math.hypot(...value.map(Number));
  const number = typeof value === "string" ? Number(value.replace("inf", "Infinity")) : Number(value);
  return Math.abs(number);
}
