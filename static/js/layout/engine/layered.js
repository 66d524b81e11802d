/**
 * Owns the layered layout, for graphs that are not large: rows and columns by the network simplex method,
 * few crossings, long edges straight. Pure.
 */

import { placesOnLine } from "./network-simplex.js";
import { ordersOf } from "./ordering.js";
import { routesOf } from "./routes.js";

/** @import {Measures} from "../../run/types.d.ts" */
/** @import {Part, Union} from "../union-graph.js" */
/** @import {Placed} from "./place.js" */
/** @import {Distance} from "./network-simplex.js" */
/** @import {Rowed} from "./ordering.js" */

/** Pixels of an inch, in which Measures has the gap between boxes. */
const INCH = 72;
/** Between rows, between a box and an edge that passes it. */
const GAP = { along: 56, pass: 14 };
/** Half the width that an edge takes in a row that it passes. */
const PASS = 3;
/** How straight an edge is drawn: between boxes, at the end of one that passes rows, within it. */
const STRAIGHT = [1, 2, 8];
/** The same for the edge to what leads farthest. */
const MAIN = 4;
/** The most boxes, and rows that edges pass. */
const MOST = { parts: 400, passes: 800 };

/**
 * The graph in rows: parts, then a point for each row that an edge passes. `ways`: the points of each line.
 * @typedef {Rowed & {ways: number[][], widths: number[]}} Layers
 */
/**
 * Where each point is, and each row, the first of which is the lowest.
 * @typedef {{layers: Layers, xs: number[], tops: number[], bottoms: number[], height: number}} Grid
 */

/**
 * Places for one component; null where it is too large, or has frames.
 * @param {Union} component
 * @param {Measures} measures
 * @returns {Placed & {rows: number} | null}
 */
export function layeredPlaces({ parts, lines }, measures) {
  if (parts.length > MOST.parts) return null;
  const edges = edgesOf(parts, lines);
  if (parts.some(({ around }) => around >= 0)) return null;
  const rowOf = placesOnLine(
    parts.length,
    edges.map(([from, to]) => ({ from, to, least: 1, weight: 1 })),
  );
  const layers = layersOf(parts, edges, rowOf);
  if (layers.rowOf.length - parts.length > MOST.passes) return null;
  const across = measures.box.across * INCH;
  const placed = ordersOf(layers).map((rows) => {
    const grid = gridOf(parts, layers, rows, across, mainOf(parts, edges));
    return drawnOf(parts, lines, edges, grid);
  });
  return /** @type {Placed & {rows: number}} */ (
    placed.reduce((best, each) => (each.cost < best.cost ? each : best))
  );
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
 * For each edge whether it leads, of all from its part, to what leads farthest.
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
 * @param {Part[]} parts
 * @param {Layers} layers
 * @param {number[][]} rows
 * @param {number} across
 * @param {Set<number>} main
 * @returns {Grid}
 */
function gridOf(parts, layers, rows, across, main) {
  const { widths, ways } = layers;
  const isPart = (/** @type {number} */ point) => point < parts.length;
  /** @type {Distance[]} */
  const distances = [];
  for (const row of rows) {
    for (const [at, right] of row.slice(1).entries()) {
      const left = /** @type {number} */ (row[at]);
      const gap = isPart(left) && isPart(right) ? across : GAP.pass;
      const least = Math.ceil(((widths[left] ?? 0) + (widths[right] ?? 0)) / 2 + gap);
      distances.push({ from: left, to: right, least, weight: 0 });
    }
  }
  let count = widths.length;
  for (const [number, way] of ways.entries()) {
    for (const [at, upper] of way.slice(1).entries()) {
      const lower = /** @type {number} */ (way[at]);
      const passes = Number(!isPart(lower)) + Number(!isPart(upper));
      const weight = (STRAIGHT[passes] ?? 1) * (main.has(number) ? MAIN : 1);
      distances.push(
        { from: count, to: lower, least: 0, weight },
        { from: count, to: upper, least: 0, weight },
      );
      count += 1;
    }
  }
  const xs = placesOnLine(count, distances, true).slice(0, widths.length);
  const left = xs.reduce((least, x, point) => Math.min(least, x - (widths[point] ?? 0) / 2), Infinity);
  return { layers, xs: xs.map((x) => x - left), ...rowsOf(parts, layers) };
}

/**
 * @param {Part[]} parts
 * @param {Layers} layers
 */
function rowsOf(parts, { rowOf, count }) {
  const heights = new Array(count).fill(0);
  for (const [number, part] of parts.entries())
    heights[rowOf[number] ?? 0] = Math.max(heights[rowOf[number] ?? 0], part.height);
  /** @type {number[]} */
  const tops = [];
  /** @type {number[]} */
  const bottoms = [];
  let y = 0;
  for (let row = count - 1; row >= 0; row -= 1) {
    tops[row] = y;
    y += heights[row];
    bottoms[row] = y;
    if (row > 0) y += GAP.along;
  }
  return { tops, bottoms, height: y };
}

/**
 * @param {Part[]} parts
 * @param {Union["lines"]} lines
 * @param {[number, number][]} edges
 * @param {Grid} grid
 * @returns {Placed & {rows: number, cost: number}}
 */
function drawnOf(parts, lines, edges, grid) {
  const { xs, bottoms, layers, height } = grid;
  const boxes = parts.map((part, number) => ({
    x: (xs[number] ?? 0) - part.width / 2,
    y: (bottoms[layers.rowOf[number] ?? 0] ?? 0) - part.height,
    width: part.width,
    height: part.height,
  }));
  const width = xs.reduce((most, x, point) => Math.max(most, x + (layers.widths[point] ?? 0) / 2), 0);
  const { routes, length } = routesOf(parts, boxes, edges, grid);
  return {
    width,
    height,
    centres: new Map(
      boxes.map((box, number) => [parts[number]?.key ?? "", [box.x + box.width / 2, box.y + box.height / 2]]),
    ),
    routes: new Map(lines.map((line, number) => [line.key, routes[number] ?? []])),
    frames: new Map(),
    rows: layers.rowOf.length - parts.length,
    cost: length + width,
  };
}
