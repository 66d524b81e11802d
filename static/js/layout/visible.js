/**
 * Decides which boxes of a picture exist at a step and are in the visible part of the picture. Only visible
 * boxes are drawn, which bounds the cost of a step. Pure.
 */

/** @import {Box, GraphBox, State} from "../run/types.d.ts" */

/**
 * Whether a box is visible.
 * @param {Box | null} view null: everything is visible
 * @param {Box} box
 */
export function isVisible(view, box) {
  return (
    view === null ||
    (box.x < view.x + view.width &&
      box.x + box.width > view.x &&
      box.y < view.y + view.height &&
      box.y + box.height > view.y)
  );
}

/**
 * Whether a box of the graph exists at a step.
 * @param {State} state
 * @param {Pick<GraphBox, "node" | "unreached">} box
 */
export function isThere(state, { node, unreached }) {
  return unreached === undefined ? state.nodes.has(node) : unreached.from <= state.tick;
}
