/**
 * Owns the layered layout, for graphs that are not large: rows and columns by the network simplex method,
 * few crossings, long edges straight. Pure.
 */

import { longestWays, shutIn } from "./chains.js";
import { columnsOf } from "./columns.js";
import { around, framedRows, framesOf, rowsOf } from "./frames.js";
import { placesOnLine } from "./network-simplex.js";
import { ordersOf } from "./ordering.js";
import { routesOf } from "./routes.js";

/** @import {Group, Measures} from "../../run/types.d.ts" */
/** @import {Part, Union} from "../union-graph.js" */
/** @import {Placed} from "./place.js" */
/** @import {Rowed} from "./ordering.js" */

/** Half the width that an edge takes in a row that it passes. */
const PASS = 3;
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
 * Places for one component; null where it is too large, or its groups would have to be above one another.
 * @param {Union} component
 * @param {Measures} measures
 * @param {Group[]} [all] the groups of the run
 * @returns {Placed & {rows: number} | null}
 */
export function layeredPlaces({ parts: given, lines }, measures, all = []) {
  if (given.length > MOST.parts) return null;
  const { parts, groups, numbers } = groupsAround(given, all);
  const edges = edgesOf(parts, lines);
  const rowOf = rowsFor(parts, edges, groups);
  if (rowOf === null) return null;
  const layers = layersOf(parts, edges, rowOf);
  if (layers.rowOf.length - parts.length > MOST.passes) return null;
  const nest = nestOf(parts, edges, layers, groups);
  const main = mainOf(parts, edges);
  const placed = ordersOf(layers, nest).map((rows) => {
    const xs = columnsOf(parts, layers, { rows, nest, groups }, measures, main);
    return drawnOf(
      parts,
      lines,
      edges,
      { layers, xs, ...tall(parts, layers, groups, measures.box.along) },
      groups,
    );
  });
  const best = placed.reduce((best, each) => (each.cost < best.cost ? each : best));
  return { ...best, frames: new Map([...best.frames].map(([group, frame]) => [numbers[group] ?? 0, frame])) };
}

/**
 * The groups that have parts in a component, numbered anew, and their numbers of before.
 * @param {Part[]} given
 * @param {Group[]} all
 */
function groupsAround(given, all) {
  const isHere = new Set();
  for (const { around } of given)
    for (let group = around; group >= 0 && !isHere.has(group); group = all[group]?.parent ?? -1)
      isHere.add(group);
  const numbers = [...isHere].sort((a, b) => a - b);
  const anew = new Map(numbers.map((number, at) => [number, at]));
  const groups = numbers.map((number) => {
    const group = /** @type {Group} */ (all[number]);
    return { ...group, parent: anew.get(group.parent) ?? -1 };
  });
  const parts = given.map((part) => ({ ...part, around: anew.get(part.around) ?? -1 }));
  return { parts, groups, numbers };
}

/**
 * The row of each part: edges lead up and are short, what a group uses is above all of it.
 * @param {Part[]} parts
 * @param {[number, number][]} edges
 * @param {Group[]} groups
 */
function rowsFor(parts, edges, groups) {
  const distances = edges.map(([from, to]) => ({ from, to, least: 1, weight: 1 }));
  if (groups.length === 0) return placesOnLine(parts.length, distances);
  const ways = shutIn(parts, waysOf(parts, edges), groups);
  if (longestWays(ways).order.length < ways.length) return null;
  for (const [from, leaving] of ways.entries())
    for (const { to, up } of leaving) distances.push({ from, to, least: up, weight: 0 });
  return placesOnLine(ways.length, distances).slice(0, parts.length);
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
 * The groups around each point; around one that an edge passes, those around both of its ends.
 * @param {Part[]} parts
 * @param {[number, number][]} edges
 * @param {Layers} layers
 * @param {Group[]} groups
 */
function nestOf(parts, edges, { ways, rowOf }, groups) {
  const nest = rowOf.map(() => /** @type {number[]} */ ([]));
  for (const [number, { around }] of parts.entries())
    for (let group = around; group >= 0; group = groups[group]?.parent ?? -1) nest[number]?.unshift(group);
  for (const [number, [from, to]] of edges.entries()) {
    const both = (nest[from] ?? []).filter((group, level) => nest[to]?.[level] === group);
    for (const point of (ways[number] ?? []).slice(1, -1)) nest[point] = both;
  }
  return nest;
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
 * The rows, with room for frames.
 * @param {Part[]} parts
 * @param {Layers} layers
 * @param {Group[]} groups
 * @param {number} along between rows
 */
function tall(parts, { rowOf, count }, groups, along) {
  const ranked = { ranks: rowOf, count };
  return rowsOf(parts, ranked, framedRows(parts, ranked, groups), along);
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
