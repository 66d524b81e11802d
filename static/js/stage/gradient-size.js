/** Owns how large the gradients are that reach a box of the graph at a step. */

import { largestIn, printedSize } from "../run/gradient-sizes.js";
import { perRun } from "../run/per-run.js";

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
  return largest < 0 ? "" : printedSize(largest);
}
