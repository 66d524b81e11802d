/**
 * Draws the marks on items of a picture that differ from the other run: a double frame and a sign, because
 * colour alone is not enough.
 */

import { rowsAt, slotsAt } from "../../layout/memory-rows.js";
import { around } from "../../layout/scroll-plan.js";
import { linesOf } from "../../layout/union-graph.js";
import { drawing } from "../../io/drawing.js";
import { isVisible } from "../../layout/visible.js";

/**
 * @import {Box, GraphBox, GraphLayout, Marked, MemoryLayout, MemoryRow,
 *   State} from "../../run/types.d.ts"
 */
/** @import {Shape} from "../../stage/svg.js" */

/** Sizes in picture units: the distance of the frame from the item, and the size of the sign. */
const OFF = 4;
const SIGN = 20;

/**
 * The marks on items of the graph that differ. A folded group is marked if any of its contents differ.
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {Marked} marked
 * @param {Box | null} view
 * @returns {Shape[]}
 */
export function graphDiffers({ boxes, measures }, state, marked, view) {
  const { height } = linesOf(measures).pocket;
  return boxes
    .filter((box) => isVisible(view, box) && state.nodes.has(box.node))
    .flatMap((box) => {
      const isWhole = box.fold === null ? marked.nodes.has(box.node) : isOther(box, marked);
      const pockets = box.pockets
        .filter(({ id }) => marked.saved.has(id))
        .map(({ id, x, y, width }) => sign(`p${id}`, { x, y, width, height }, "end"));
      return isWhole ? [sign(`n${box.key}`, { ...box, height: box.body }, "end"), ...pockets] : pockets;
    });
}

/**
 * The smallest area that contains all boxes of the graph that differ.
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {Marked} marked
 */
export function graphPlace({ boxes }, state, marked) {
  return around(boxes.filter((box) => state.nodes.has(box.node) && isOther(box, marked)));
}

/**
 * @param {GraphBox} box
 * @param {Marked} marked
 */
function isOther({ node, fold }, { nodes, holders }) {
  return (fold?.nodes ?? [node]).some((id) => nodes.has(id) || holders.has(id));
}

/**
 * @param {MemoryLayout} layout
 * @param {State} state
 * @param {Marked} marked
 * @param {Box | null} view
 * @returns {Shape[]}
 */
export function memoryDiffers(layout, state, { tensors, storages }, view) {
  const { card } = layout.measures;
  const shown = rowsAt(layout, state).filter((row) => isVisible(view, row));
  return shown.flatMap((row) => {
    if (isOtherFold(row, storages, state)) return [sign(`f${row.key}`, foldBox(row), "start")];
    const cards = slotsAt(row, state).filter((slot) => tensors.has(slot.tensor));
    const signs = cards.map((slot) =>
      sign(
        `t${slot.tensor} ${row.key}`,
        { x: slot.x, y: slot.y + (slot.height - card.height) / 2, width: slot.width, height: card.height },
        "start",
      ),
    );
    return row.strip && storages.has(row.storage ?? -1)
      ? [...signs, sign(`s${row.key}`, row.strip, "end")]
      : signs;
  });
}

/**
 * The area of the memory picture to scroll to: the first two storages that differ, or else the first tensor
 * that differs.
 * @param {MemoryLayout} layout
 * @param {State} state
 * @param {Marked} marked
 */
export function memoryPlace(layout, state, { tensors, storages }) {
  const shown = rowsAt(layout, state);
  const isOther = (/** @type {MemoryRow} */ row) =>
    storages.has(row.storage ?? -1) || isOtherFold(row, storages, state);
  const written = shown.filter(isOther).slice(0, 2);
  return around(
    written.length > 0
      ? written
      : shown.filter((row) => slotsAt(row, state).some((slot) => tensors.has(slot.tensor))).slice(0, 1),
  );
}

/**
 * The position of the sign on a folded group of storages, near the left end, so that the sign is visible for
 * any width of the row.
 * @param {MemoryRow} row
 * @returns {Box}
 */
function foldBox({ x, y }) {
  return { x: x + 16, y: y + 20, width: 20, height: 20 };
}

/**
 * Whether a folded group has a storage that differs.
 * @param {MemoryRow} row
 * @param {Set<number>} storages
 * @param {State} state
 */
function isOtherFold({ fold }, storages, { tick }) {
  return (
    fold?.isOpen === false &&
    fold.members.some(({ storage, from, to }) => from <= tick && tick < to && storages.has(storage))
  );
}

/**
 * @param {string} key
 * @param {Box} box
 * @param {"start" | "end"} corner of its upper edge
 * @returns {Shape}
 */
function sign(key, { x, y, width, height }, corner) {
  const [cx, cy] = [corner === "start" ? x - OFF : x + width + OFF, y - OFF];
  const half = SIGN / 2;
  const { el } = drawing();
  return el(
    "g",
    { key, class: "differs-sign", "data-differs": key },
    el("rect", {
      key: "frame",
      class: "differs-frame",
      x: x - OFF,
      y: y - OFF,
      width: width + 2 * OFF,
      height: height + 2 * OFF,
      rx: 7,
    }),
    el("rect", {
      key: "back",
      class: "differs-back",
      x: cx - half,
      y: cy - half,
      width: SIGN,
      height: SIGN,
      rx: 4,
    }),
    el("path", {
      key: "sign",
      class: "differs-unequal",
      d: `M${cx - 5},${cy - 3} h10 M${cx - 5},${cy + 3} h10 M${cx + 3},${cy - 7} l-6,14`,
    }),
  );
}
