/**
 * Draws the order in which a tensor reads the cells of its storage, with a number in each cell and a line
 * through the cells. The style sheet shows this only while the tensor alone is highlighted.
 */

import { boxOfCell } from "../layout/cell-axes.js";
import { grouped } from "../run/grouped.js";
import { perRun } from "../run/per-run.js";
import { placesIn } from "../run/values/shown.js";
import { el } from "./svg.js";

/** @import {Geometry} from "../run/trace.d.ts" */
/** @import {Strip} from "../run/types.d.ts" */

/** The maximum number of elements that are numbered, because a longer order is too hard to follow by eye. */
const MOST = 64;
/**
 * Sizes in picture units of the badge with a number: its height, its horizontal padding, and the width of a
 * digit.
 */
const BADGE = { height: 15, inset: 6, letter: 7.4 };

/**
 * The reading order of a tensor's cells; null if the tensor reads its cells consecutively.
 * @param {Strip} strip
 * @param {Geometry} geometry
 * @param {string} dtype of the cells
 */
export function readingOrder(strip, geometry, dtype) {
  if (strip.mode === "summary" || geometry.dtype !== dtype) return null;
  const inSight = readsOf(geometry).flatMap(({ place, text }) => {
    const { x, y, width, height, isHidden } = boxOfCell(strip, place);
    return isHidden || place >= strip.count
      ? []
      : [{ place, text, x: strip.x + x, y: strip.y + y, width, height }];
  });
  if (inSight.length === 0) return null;
  const line = inSight.map(({ x, y, width, height }) => `${x + width / 2},${y + height / 2}`).join(" L");
  return el(
    "g",
    { key: "order", class: "window-order" },
    el("path", { class: "order-line", d: `M${line}` }),
    inSight.map(({ place, text, x, y }) => {
      const width = text.length * BADGE.letter + BADGE.inset;
      return el(
        "g",
        { key: `n${place}`, class: "order-number" },
        el("rect", { x: x - 4, y: y - 6, width, height: BADGE.height, rx: 4 }),
        el("text", { x: x - 4 + width / 2, y: y + 5.5 }, text),
      );
    }),
  );
}

/** The cells that a tensor reads, with their numbers; empty if the tensor reads its cells consecutively. */
const readsOf = perRun((/** @type {Geometry} */ geometry) => {
  const places = placesIn(geometry, MOST) ?? [];
  if (places.every((place, number) => place === (places[0] ?? 0) + number)) return [];
  const read = grouped(places.entries(), ([, place]) => place);
  return [...read].map(([place, elements]) => ({ place, text: textOf(elements.map(([number]) => number)) }));
});

/**
 * The text in a cell: the number of the element that reads it. If several elements read the cell, the first
 * number is followed by `…`.
 * @param {number[]} read
 */
function textOf([first = 0, ...others]) {
  return others.length === 0 ? String(first) : `${first}…`;
}
