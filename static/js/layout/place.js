/** Owns where the union graph's boxes stand: components stacked in order of creation, each laid out by an engine. Pure. */

import { monoWidth } from "./text.js";

/** @import {GraphBox, GraphEdge, GraphLayout} from "../types.d.ts" */
/** @import {Line, Part, Union} from "./graph.js" */

/** @typedef {{width: number, height: number, centres: Map<string, [number, number]>, routes: Map<string, [number, number][]>}} Placed */

const GAP = 36;
const MOST_WIDTH = 620;
const EDGE = 14;

/**
 * The union graph cut into its components, in order of creation.
 * @param {Union} union
 * @returns {Union[]}
 */
export function componentsOf({ parts, lines }) {
  const leader = new Map(parts.map((part) => [part.key, part.key]));
  const find = (/** @type {string} */ key) => {
    let own = key;
    while (leader.get(own) !== own) own = leader.get(own) ?? own;
    for (let walk = key; walk !== own; ) {
      const next = leader.get(walk) ?? own;
      leader.set(walk, own);
      walk = next;
    }
    return own;
  };
  for (const line of lines) leader.set(find(line.to), find(line.from));
  /** @type {Map<string, Union>} */
  const components = new Map();
  for (const part of parts) {
    const key = find(part.key);
    if (!components.has(key)) components.set(key, { parts: [], lines: [] });
    components.get(key)?.parts.push(part);
  }
  for (const line of lines) components.get(find(line.from))?.lines.push(line);
  return [...components.values()];
}

/**
 * The layout of all components once each has its places.
 * @param {Union[]} components
 * @param {Placed[]} placed in the same order
 * @param {GraphLayout["engine"]} engine
 * @returns {GraphLayout}
 */
export function assemble(components, placed, engine) {
  /** @type {GraphBox[]} */
  const boxes = [];
  /** @type {GraphEdge[]} */
  const edges = [];
  const shelf = { x: EDGE, y: EDGE, height: 0 };
  let width = 0;
  const most = Math.max(MOST_WIDTH, ...placed.map((own) => own.width));
  for (const [number, component] of components.entries()) {
    const own = /** @type {Placed} */ (placed[number]);
    if (shelf.x > EDGE && shelf.x + own.width > most) Object.assign(shelf, { x: EDGE, y: shelf.y + shelf.height + GAP, height: 0 });
    place(component, own, shelf, { boxes, edges });
    width = Math.max(width, shelf.x + own.width);
    shelf.x += own.width + GAP;
    shelf.height = Math.max(shelf.height, own.height);
  }
  return { width: width + EDGE, height: shelf.y + shelf.height + EDGE, boxes, edges, engine };
}

/** @param {Union} component @param {Placed} placed @param {{x: number, y: number}} origin @param {{boxes: GraphBox[], edges: GraphEdge[]}} into */
function place({ parts, lines }, placed, origin, into) {
  /** @type {Map<string, GraphBox>} */
  const own = new Map();
  const nones = new Map();
  for (const part of parts) {
    const [x, y] = placed.centres.get(part.key) ?? [0, 0];
    const box = boxAt(part, origin.x + x - part.width / 2, origin.y + y - part.height / 2);
    if (part.shape === "none") nones.set(part.key, box);
    else own.set(part.key, box);
  }
  into.boxes.push(...own.values());
  for (const line of lines) {
    const from = /** @type {GraphBox} */ (own.get(line.from));
    const to = own.get(line.to) ?? nones.get(line.to);
    const route = placed.routes.get(line.key)?.map(([x, y]) => /** @type {[number, number]} */ ([origin.x + x, origin.y + y]));
    const points = landed(route ?? straight(from, to), to);
    const isNone = nones.has(line.to);
    into.edges.push({ key: line.key, node: line.node, edge: line.edge, from: line.from, to: isNone ? null : line.to, points, chip: midway(points) });
  }
}

/** @param {Part} part @param {number} x @param {number} y @returns {GraphBox} */
function boxAt(part, x, y) {
  const pockets = part.pockets.map((pocket) => ({ ...pocket, x: x + pocket.x, y: y + pocket.y }));
  return { key: part.key, node: part.node, shape: part.shape === "bucket" ? "bucket" : "node", x, y, width: part.width, height: part.height, body: part.body, pockets };
}

/** A curve from the top of `from` to the bottom of `to`. @param {GraphBox} from @param {GraphBox} to @returns {[number, number][]} */
function straight(from, to) {
  const x1 = from.x + from.width / 2;
  const x2 = to.x + to.width / 2;
  const y1 = from.y;
  const y2 = to.y + to.height;
  const middle = (y1 + y2) / 2;
  return [[x1, y1], [x1, middle], [x2, middle], [x2, y2]];
}

/** The last piece goes straight up through the band to the box itself. @param {[number, number][]} points @param {GraphBox} to @returns {[number, number][]} */
function landed(points, to) {
  const [x, y] = /** @type {[number, number]} */ (points.at(-1));
  const end = to.y + to.body + 2;
  return [...points, [x, y - (y - end) / 3], [x, y - ((y - end) * 2) / 3], [x, end]];
}

/** The middle of the curve without its last piece. @param {[number, number][]} points @returns {[number, number]} */
function midway(points) {
  const pieces = (points.length - 4) / 3;
  const at = pieces / 2;
  const piece = Math.min(Math.floor(at), pieces - 1);
  const [a, b, c, d] = points.slice(piece * 3, piece * 3 + 4);
  const t = at - piece;
  const mix = (/** @type {0 | 1} */ axis) =>
    (1 - t) ** 3 * (a?.[axis] ?? 0) + 3 * (1 - t) ** 2 * t * (b?.[axis] ?? 0) + 3 * (1 - t) * t ** 2 * (c?.[axis] ?? 0) + t ** 3 * (d?.[axis] ?? 0);
  return [mix(0), mix(1)];
}

/** The widest gradient chip there is. */
export const CHIP = Math.ceil(monoWidth("[[0.000, 0.0]]", 13)) + 16;
