/**
 * Owns the lines that connect a stale saved tensor in one exported picture with its storage in the other.
 * Pure.
 */

import { dashOf, colour } from "./shapes.js";

/** @import {Figures, Place, Stroke} from "./figures.js" */
/** @import {Looks} from "./styles.js" */
/** @import {Point} from "./paths.js" */

/**
 * The distance in px from the right end of a saved tensor's box to the point at which its line begins. The
 * page uses the same value.
 */
const INWARD = 16;

/** The maximum number of lines from stale saved tensors, the same as on the page. */
const MOST = 3;

/** The length of an arrowhead in px. */
const HEAD = 7;

/**
 * Distances in px of a line from the Node at which it begins, and from the row of its storage. The page uses
 * the same values.
 */
const AIR = { out: 8, row: 4 };

/**
 * @param {{id: number, storage: number}[]} stale
 * @param {Figures} graph
 * @param {Figures} memory
 * @param {{
 *   cells: Map<number, Place>,
 *   footOf: (storage: number) => number,
 *   wayBetween: typeof import("../../stage/index.js").wayBetween,
 * }} page the place of each storage's cells, the end of the storage's row, and the function that routes a
 * line past boxes
 * @param {Looks} looks
 * @returns {Stroke[]} in the coordinates of the memory picture
 */
export function staleLinks(stale, graph, memory, { cells, footOf, wayBetween }, looks) {
  const link = (/** @type {string} */ tag, /** @type {string} */ name) => ({ tag, classes: new Set([name]) });
  const value = looks([link("svg", "links"), link("g", "link"), link("path", "link-line")]);
  const look = {
    ...{ fill: "", stroke: colour(value("stroke"), "#000000") },
    ...{ thick: Number.parseFloat(value("stroke-width")) || 1, dash: dashOf(value("stroke-dasharray")) },
  };
  const ends = stale.flatMap(({ id, storage }) => {
    const pocket = graph.figures.find((figure) => figure.id === `saved${id}`);
    const to = cells.get(storage);
    const node = pocket && nodeAround(graph, pocket);
    return pocket && node && to ? [{ pocket, node, to, row: footOf(storage) }] : [];
  });
  return ends.slice(0, MOST).map(({ pocket, node, to, row }, number) => {
    const left = graph.x - memory.x;
    const foot = pocket.y + pocket.height;
    const [start, gutter] = [foot + 6 + number * 3, graph.width + 6 - number * 4];
    const out = node.x + node.width + AIR.out + number * 4;
    const others = graph.figures.filter((figure) => figure.x + figure.width > out).map(sidesOf);
    const across = wayBetween(others, { from: out, to: gutter, start });
    const along = row + AIR.row + number * 3;
    const end = to.x + Math.min(to.width, 60) / 2;
    const tip = /** @type {Point} */ ([end, to.y + to.height + 2]);
    const base = /** @type {Point} */ ([end, tip[1] + HEAD]);
    const inward = left + pocket.x + pocket.width - INWARD;
    /** @type {Point[]} */
    const corners = [
      [inward, foot],
      [inward, start],
      [left + out, start],
      [left + out, across],
      [left + gutter, across],
      [left + gutter, along],
      [end, along],
      base,
    ];
    return { ...look, from: "", to: "", points: throughCorners(corners), tip };
  });
}

/**
 * The box of the Node that saved a tensor.
 * @param {Figures} graph
 * @param {Place} pocket
 */
function nodeAround({ figures }, { x, y, width, height }) {
  return figures.find(
    (each) =>
      /^(node|group)/.test(each.id.replace(/^graph_/, "")) &&
      each.x <= x &&
      each.y <= y &&
      each.x + each.width >= x + width &&
      each.y + each.height >= y + height,
  );
}

/** @param {Place} place */
function sidesOf({ x, y, width, height }) {
  return { left: x, right: x + width, top: y, bottom: y + height };
}

/**
 * @param {Point[]} corners
 * @returns {Point[]} control points of straight curves
 */
function throughCorners([first, ...rest]) {
  /** @type {Point[]} */
  const points = first === undefined ? [] : [first];
  for (const corner of rest) points.push(/** @type {Point} */ (points.at(-1)), corner, corner);
  return points;
}
