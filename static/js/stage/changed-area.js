/** Owns the area that a step changed: its bounding box in a picture's units. Pure. */

import { boxesOf, isHere } from "../layout/group-contents.js";
import { rowsAt, subjectsOf } from "../layout/memory-rows.js";
import { isVisible } from "./viewport.js";

/** @import {Box, GraphBox, GraphLayout, Index, MemoryLayout, State} from "../run/types.d.ts" */

/**
 * @param {Box[]} boxes
 * @returns {Box | null}
 */
export function around(boxes) {
  if (boxes.length === 0) return null;
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** The most Nodes and gradients that are looked at: more of them are wider than a pane. */
const MOST = 1000;

/**
 * The Node that ran, else the new Nodes, else those of the backward that just ended; a folded Node counts as
 * its group. After a jump, what came last is shown even if this step did not change the graph.
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {boolean} isJump
 */
export function graphFocus(index, layout, state, isJump) {
  const { stop, before, tick } = state;
  const boxesWith = (/** @type {number[]} */ nodes) =>
    nodes
      .slice(0, MOST)
      .flatMap((node) => boxesOf(layout, node).filter((box) => isHere(index, state, box, node)));
  const active = stop.node === null ? [] : boxesWith([stop.node]);
  if (active.length > 0) return around(active);
  const fresh = boxesWith(
    index.lookups.born
      .nodes()
      .within(before, tick)
      .map((node) => node.id),
  );
  if (fresh.length > 0) return around(fresh);
  const over =
    stop.kind !== "statement"
      ? []
      : boxesWith([
          ...new Set(
            state.gradients
              .slice(-MOST)
              .flatMap(({ gradient }) => [gradient.node, gradient.to])
              .filter((node) => node !== null),
          ),
        ]);
  return around(over.length > 0 || !isJump ? over : boxesWith(latest(index, tick)));
}

/**
 * The Node that was created or ran last.
 * @param {Index} index
 * @param {number} tick
 * @returns {number[]}
 */
function latest(index, tick) {
  const born = index.lookups.born
    .nodes()
    .upTo(tick)
    .findLast((node) => node.variable === undefined);
  const ran = index.lookups
    .ran()
    .upTo(tick)
    .findLast((run) => index.nodes[run.node]?.variable === undefined);
  if (ran !== undefined && ran.ended > (born?.born ?? -1)) return [ran.node];
  return born === undefined ? [] : [born.id];
}

/**
 * Whether a gradient came along the edge that a shared AccumulateGrad is drawn for.
 * @param {GraphBox} box
 * @param {State} state
 */
export function isReached(box, state) {
  const edge = box.key.split("@")[1];
  return edge === undefined || state.arrived(edge) !== undefined;
}

/**
 * The storage that was written, else those of tensors that are shown from this step on; else, where nothing
 * of them is visible, the nearest row.
 * @param {MemoryLayout} layout
 * @param {State} state
 * @param {Box} view the visible part
 */
export function memoryFocus(layout, state, view) {
  const rows = rowsAt(layout, state);
  const { written, fresh } = subjectsOf(rows, state);
  if (written.length > 0) return around(written.slice(0, 1));
  if (fresh.length > 0 || rows.some((row) => isVisible(view, row))) return around(fresh.slice(0, 2));
  const middle = view.y + view.height / 2;
  const away = (/** @type {Box} */ row) => Math.abs(row.y + row.height / 2 - middle);
  return around(rows.length === 0 ? [] : [rows.reduce((best, row) => (away(row) < away(best) ? row : best))]);
}
