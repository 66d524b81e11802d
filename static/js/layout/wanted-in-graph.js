/**
 * Finds the boxes of the graph that should be visible at a stop, such as the running Node and the targets of
 * its gradients. Pure.
 */

import { boxesOf, edgesInto, isHere } from "./group-contents.js";
import { newlyUnreached } from "./unreached.js";

/** @import {Gradient} from "../run/trace.d.ts" */
/** @import {GraphBox, GraphLayout, Index, State} from "../run/types.d.ts" */
/** @import {Wanted} from "./scroll-plan.js" */

/**
 * The maximum number of Nodes and gradients that are considered at a stop, because more never fit into a
 * pane.
 */
const MOST = 1000;

/**
 * The boxes of the graph that should be visible at a stop. While a Node runs, these are its box and the
 * boxes of the Nodes that receive its gradients. At other stops, these are the boxes of leaves now known to
 * have no gradient, or else of new Nodes, latest first, or else of all Nodes that a finished backward
 * reached. The box of a folded group stands for the Nodes in it.
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {State} state
 * @returns {Wanted}
 */
export function wantedInGraph(index, layout, state) {
  const { stop, before, tick } = state;
  if (stop.node !== null) return aroundRun(index, layout, state, stop.node);
  const unreached = newlyUnreached(index, layout, state);
  if (unreached.length > 0) return { either: [unreached], also: [] };
  const born = index.lookups.born.nodes().within(before, tick).slice(-MOST).reverse();
  const fresh = born.flatMap(({ id }) => boxesOf(layout, id).filter((box) => isHere(index, state, box, id)));
  if (fresh.length > 0 || stop.kind !== "statement") return { either: [[...new Set(fresh)]], also: [] };
  const passed = index.lookups.gradients_of()(stop.statement).within(stop.step.began, tick);
  const reached = passed
    .slice(-MOST)
    .reverse()
    .flatMap((gradient) => [
      ...boxesReachedBy(index, layout, gradient),
      ...boxesOf(layout, gradient.node ?? -1),
    ]);
  return { either: [[...new Set(reached)]], also: [] };
}

/**
 * The box of the running Node with the boxes of the Nodes that receive its gradients, or with as many of
 * these as fit. If a Node has several boxes, the box that a gradient reached most recently is preferred.
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {number} node
 * @returns {Wanted}
 */
function aroundRun(index, layout, state, node) {
  const { stop } = state;
  const run = index.lookups
    .runs_of()(node)
    .find(({ began, ended }) => began <= stop.step.began && stop.step.began <= ended);
  const passed =
    run === undefined
      ? []
      : index.lookups
          .gradients_of()(run.statement)
          .within(run.began, run.ended)
          .filter((gradient) => gradient.node === node);
  const reached = (/** @type {GraphBox} */ box) =>
    Math.max(-1, ...edgesInto(index, box, node).map((edge) => state.arrived(edge)?.gradient.tick ?? -1));
  const places = boxesOf(layout, node)
    .filter((box) => isHere(index, state, box, node))
    .map((box) => ({ box, at: reached(box) }))
    .sort((a, b) => b.at - a.at)
    .map(({ box }) => box);
  const next = [...new Set(passed.flatMap((gradient) => boxesReachedBy(index, layout, gradient)))];
  const either = places.flatMap((box) =>
    next.length === 0
      ? [[box]]
      : next.map((first) => [box, first, ...next.filter((other) => other !== first)]),
  );
  return { either, also: next };
}

/**
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {Gradient} gradient
 */
function boxesReachedBy(index, layout, { node, edge, to }) {
  if (to === null) return [];
  return boxesOf(layout, to).filter((box) => {
    const edges = edgesInto(index, box, to);
    return edges.length === 0 || edges.includes(`${node}.${edge}`);
  });
}
