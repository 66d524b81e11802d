/**
 * Owns the layered layout, for graphs of up to MOST.parts boxes. The network simplex method chooses rows and
 * columns such that few edges cross and long edges are straight. Pure.
 */

import { floorOf, longestWays, shutIn } from "./chains.js";
import { columnsOf } from "./columns.js";
import { around, framedRows, framesOf, rowsOf } from "./frames.js";
import { nestsOf, pathsOf } from "./nesting.js";
import { placesOnLine } from "./network-simplex.js";
import { ordersOf } from "./ordering.js";
import { routesOf } from "./routes.js";

/** @import {Group, Measures} from "../../run/types.d.ts" */
/** @import {Part, Union} from "../union-graph.js" */
/** @import {Placed} from "./place.js" */
/** @import {Rowed} from "./ordering.js" */

/** Half of the width in px that an edge occupies in a row that the edge passes. */
const PASS = 3;
/** The minimum gap, in px, above a row in which every part has the shape `none`. */
const ABOVE_NONES = 12;
/** The maximum number of boxes in a layered layout, and of points at which edges pass rows. */
const MOST = { parts: 400, passes: 800 };

/**
 * The points of the graph: its boxes, then a point for each row that an edge passes. `ways` has the points
 * of each edge.
 * @typedef {Rowed & {ways: number[][], widths: number[]}} Layers
 */
/**
 * The position of each point and of each row. Row 0 is at the bottom.
 * @typedef {{layers: Layers, xs: number[], tops: number[], bottoms: number[], height: number}} Grid
 */

/**
 * Lays out one connected part of the graph. Null: it is too large, or two groups use each other, so neither
 * can be above the other.
 * @param {Union} component
 * @param {Measures} measures
 * @param {Group[]} [groups]
 * @returns {Placed & {rows: number} | null}
 */
export function layeredPlaces({ parts, lines }, measures, groups = []) {
  if (parts.length > MOST.parts) return null;
  const edges = edgesOf(parts, lines);
  const rowOf = rowsFor(parts, edges, groups);
  if (rowOf === null) return null;
  const layers = layersOf(parts, edges, rowOf);
  if (layers.rowOf.length - parts.length > MOST.passes) return null;
  const main = mainOf(parts, edges);
  const rows = tall(parts, layers, groups, measures.box.along);
  const ordered = nestsOf(parts, edges, layers, groups).flatMap((nest) =>
    ordersOf(layers, nest).map((order) => ({ ...order, nest, groups })),
  );
  const fewest = ordered.reduce((least, { crossings }) => Math.min(least, crossings), Infinity);
  const placed = ordered
    .filter(({ crossings }) => crossings === fewest)
    .map((order) => {
      const xs = columnsOf(parts, layers, order, measures, main);
      return drawnOf(parts, lines, edges, { layers, xs, ...rows }, groups);
    });
  return placed.reduce((best, each) => (each.cost < best.cost ? each : best));
}

/**
 * The row of each box. Edges lead up and cross as few rows as possible. Boxes that a group uses are above
 * the whole group.
 * @param {Part[]} parts
 * @param {[number, number][]} edges
 * @param {Group[]} groups
 */
function rowsFor(parts, edges, groups) {
  const distances = edges.map(([from, to]) => ({ from, to, least: 1, weight: 1 }));
  if (groups.length === 0) return placesOnLine(parts.length, distances);
  const ways = shutIn(parts, waysOf(parts, edges), groups);
  for (const [none, floor] of nonesBelow(parts, edges, groups)) ways[none]?.push({ to: floor, up: 1 });
  if (longestWays(ways).order.length < ways.length) return null;
  for (const [from, leaving] of ways.entries())
    for (const { to, up } of leaving) distances.push({ from, to, least: up, weight: 0 });
  return placesOnLine(ways.length, distances).slice(0, parts.length);
}

/**
 * If a Node has edges to a group and to None, keeps the sign for None below that group. A sign next to the
 * group would be far from the Node.
 * @param {Part[]} parts
 * @param {[number, number][]} edges
 * @param {Group[]} groups
 */
function nonesBelow(parts, edges, groups) {
  const pathOf = pathsOf(groups);
  const nones = parts.map(() => /** @type {number[]} */ ([]));
  for (const [from, to] of edges) if (parts[to]?.shape === "none") nones[from]?.push(to);
  /** @type {[number, number][]} the None, and the floor of the group */
  const pairs = [];
  for (const [from, to] of edges) {
    const entered = pathOf(parts[to]?.around ?? -1)[pathOf(parts[from]?.around ?? -1).length];
    if (entered === undefined) continue;
    for (const none of nones[from] ?? []) pairs.push([none, floorOf(parts, entered)]);
  }
  return pairs;
}

/**
 * @param {Part[]} parts
 * @param {[number, number][]} edges
 */
function waysOf(parts, edges) {
  const ways = parts.map(() => /** @type {{to: number, up: number}[]} */ ([]));
  for (const [from, to] of edges) ways[from]?.push({ to, up: 1 });
  return ways;
}

/**
 * The numbers of the parts that each line joins.
 * @param {Part[]} parts
 * @param {Union["lines"]} lines
 * @returns {[number, number][]}
 */
function edgesOf(parts, lines) {
  const numbers = new Map(parts.map((part, number) => [part.key, number]));
  return lines.map(({ from, to }) => [numbers.get(from) ?? 0, numbers.get(to) ?? 0]);
}

/**
 * For each box, the edge that begins the longest path from the box, if there is only one such edge.
 * @param {Part[]} parts
 * @param {[number, number][]} edges
 */
function mainOf(parts, edges) {
  const depths = parts.map(() => 0);
  /** @type {number[][]} */
  const ins = parts.map(() => []);
  const left = parts.map(() => 0);
  for (const [from, to] of edges) {
    ins[to]?.push(from);
    left[from] = (left[from] ?? 0) + 1;
  }
  const order = [...parts.keys()].filter((part) => left[part] === 0);
  for (let next = 0; next < order.length; next += 1) {
    const part = order[next] ?? 0;
    for (const user of ins[part] ?? []) {
      depths[user] = Math.max(depths[user] ?? 0, (depths[part] ?? 0) + 1);
      left[user] = (left[user] ?? 1) - 1;
      if (left[user] === 0) order.push(user);
    }
  }
  const farthest = parts.map(() => ({ depth: 0, edge: -1 }));
  for (const [edge, [from, to]] of edges.entries()) {
    const depth = depths[to] ?? 0;
    const before = /** @type {{depth: number, edge: number}} */ (farthest[from]);
    if (depth > before.depth) farthest[from] = { depth, edge };
    else if (depth === before.depth) before.edge = -1;
  }
  return new Set(farthest.map(({ edge }) => edge));
}

/**
 * @param {Part[]} parts
 * @param {[number, number][]} edges
 * @param {number[]} rowOfParts
 * @returns {Layers}
 */
function layersOf(parts, edges, rowOfParts) {
  const rowOf = [...rowOfParts];
  const widths = parts.map((part) => part.width);
  /** @type {number[][]} */
  const ups = parts.map(() => []);
  /** @type {number[][]} */
  const downs = parts.map(() => []);
  const ways = edges.map(([from, to]) => {
    const way = [from];
    for (let row = (rowOf[from] ?? 0) + 1; row < (rowOf[to] ?? 0); row += 1) {
      way.push(rowOf.length);
      rowOf.push(row);
      widths.push(2 * PASS);
      ups.push([]);
      downs.push([]);
    }
    way.push(to);
    for (const [at, point] of way.slice(1).entries()) {
      ups[way[at] ?? 0]?.push(point);
      downs[point]?.push(way[at] ?? 0);
    }
    return way;
  });
  const count = rowOf.reduce((most, row) => Math.max(most, row + 1), 0);
  return { rowOf, ups, downs, count, ways, widths };
}

/**
 * The rows, with room for frames.
 * @param {Part[]} parts
 * @param {Layers} layers
 * @param {Group[]} groups
 * @param {number} along between rows
 */
function tall(parts, { rowOf, count }, groups, along) {
  const ranked = { ranks: rowOf, count };
  const isLow = new Array(count).fill(true);
  for (const [number, part] of parts.entries()) if (part.shape !== "none") isLow[rowOf[number] ?? 0] = false;
  const gaps = isLow.map((isBare) => (isBare ? ABOVE_NONES : along));
  return rowsOf(parts, ranked, framedRows(parts, ranked, groups), gaps);
}

/**
 * @param {Part[]} parts
 * @param {Union["lines"]} lines
 * @param {[number, number][]} edges
 * @param {Grid} grid
 * @param {Group[]} groups
 * @returns {Placed & {rows: number, cost: number}}
 */
function drawnOf(parts, lines, edges, grid, groups) {
  const { xs, bottoms, layers, height } = grid;
  const boxes = parts.map((part, number) => ({
    x: (xs[number] ?? 0) - part.width / 2,
    y: (bottoms[layers.rowOf[number] ?? 0] ?? 0) - part.height,
    width: part.width,
    height: part.height,
  }));
  const right = xs.reduce((most, x, point) => Math.max(most, x + (layers.widths[point] ?? 0) / 2), 0);
  const { routes, length } = routesOf(parts, boxes, edges, grid);
  const frames = framesOf(parts, boxes, groups);
  const whole = around([{ x: 0, y: 0, width: right, height }, ...frames.values()]);
  const shift = (/** @type {number} */ x, /** @type {number} */ y) =>
    /** @type {[number, number]} */ ([x - whole.x, y - whole.y]);
  for (const frame of frames.values()) [frame.x, frame.y] = shift(frame.x, frame.y);
  const centres = boxes.map((box) => shift(box.x + box.width / 2, box.y + box.height / 2));
  return {
    width: whole.width,
    height: whole.height,
    centres: new Map(parts.map((part, number) => [part.key, centres[number] ?? [0, 0]])),
    routes: new Map(
      lines.map((line, number) => [line.key, (routes[number] ?? []).map(([x, y]) => shift(x, y))]),
    ),
    frames,
    rows: layers.rowOf.length - parts.length,
    cost: length + whole.width,
  };
}
