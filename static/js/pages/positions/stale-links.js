/** Owns the lines from stale saved tensors to their storages, between the exported pictures. Pure. */

import { dashOf, colour } from "./shapes.js";

/** @import {Figures, Place, Stroke} from "./figures.js" */
/** @import {Looks} from "./styles.js" */
/** @import {Point} from "./paths.js" */

/** Distance in px from the right end of a saved tensor to its line, as on the page. */
const INWARD = 16;

/** The maximum number of lines, as on the page. */
const MOST = 3;

/** Length of an arrowhead in px. */
const HEAD = 7;

/**
 * @param {{id: number, storage: number}[]} stale
 * @param {Figures} graph
 * @param {Figures} memory
 * @param {Map<number, Place>} cells where the cells of each storage are in the memory picture
 * @param {Looks} looks
 * @returns {Stroke[]} in the coordinates of the memory picture
 */
export function staleLinks(stale, graph, memory, cells, looks) {
  const link = (/** @type {string} */ tag, /** @type {string} */ name) => ({ tag, classes: new Set([name]) });
  const value = looks([link("svg", "links"), link("g", "link"), link("path", "link-line")]);
  const look = {
    ...{ fill: "", stroke: colour(value("stroke"), "#000000") },
    ...{ thick: Number.parseFloat(value("stroke-width")) || 1, dash: dashOf(value("stroke-dasharray")) },
  };
  const ends = stale.flatMap(({ id, storage }) => {
    const pocket = graph.figures.find((figure) => figure.id === `saved${id}`);
    const to = cells.get(storage);
    return pocket && to ? [{ pocket, to }] : [];
  });
  return ends.slice(0, MOST).map(({ pocket, to }, number) => {
    const left = graph.x - memory.x;
    const start = left + pocket.x + pocket.width - INWARD;
    const foot = pocket.y + pocket.height;
    const gutter = left + graph.width + 6 - number * 4;
    const across = foot + 6 + number * 3;
    const along = to.y + to.height + 2 + HEAD + 4 + number * 3;
    const end = to.x + Math.min(to.width, 60) / 2;
    const tip = /** @type {Point} */ ([end, to.y + to.height + 2]);
    const base = /** @type {Point} */ ([end, tip[1] + HEAD]);
    /** @type {Point[]} */
    const corners = [[start, foot], [start, across], [gutter, across], [gutter, along], [end, along], base];
    return { ...look, from: "", to: "", points: throughCorners(corners), tip };
  });
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
