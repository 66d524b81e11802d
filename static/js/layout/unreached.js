/** Marks, in the graph, the leaves that never get a gradient. Pure. */

import { boxesOf } from "./group-contents.js";
import { unreachedIn } from "../run/values/unreached.js";

/** @import {Cut, GraphBox, GraphLayout, Index, State} from "../run/types.d.ts" */

/**
 * The id of the leaf tensor whose gradient a box shows.
 * @param {Index} index
 * @param {GraphBox} box
 * @returns {number | undefined} undefined: the box shows no leaf
 */
export function leafOf(index, { node, unreached, fold }) {
  return fold === null ? (unreached?.tensor ?? index.nodes[node]?.variable) : undefined;
}

/**
 * The additional CSS classes of a box whose leaf never gets a gradient. The result is "" for any other box,
 * and at the steps before the missing gradient is known.
 * @param {Index} index
 * @param {State} state
 * @param {GraphBox} box
 */
export function lookOfUnreached(index, state, box) {
  const left = unreachedIn(index).leaves.get(leafOf(index, box) ?? -1);
  if (left === undefined || left.from > state.tick) return "";
  return left.isHint ? " unreached meant" : " unreached";
}

/**
 * The boxes of leaves that never get a gradient, and of places where the graph is cut, if the box appears in
 * this step or this step makes the problem certain.
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {State} state
 */
export function newlyUnreached(index, layout, state) {
  const isNew = (/** @type {Cut | undefined} */ left) =>
    left !== undefined && [left.from, left.found].some((tick) => state.before < tick && tick <= state.tick);
  const { leaves, cuts } = unreachedIn(index);
  const nodes = [
    ...[...cuts].flatMap(([node, cut]) => (isNew(cut) ? [node] : [])),
    ...[...leaves.values()].filter(isNew).flatMap(({ tensor }) =>
      index.lookups
        .leaves_of()(tensor)
        .map(({ id }) => id),
    ),
  ];
  return [
    ...nodes.flatMap((node) => boxesOf(layout, node)),
    ...layout.boxes.filter(({ unreached }) => isNew(unreached)),
  ];
}
