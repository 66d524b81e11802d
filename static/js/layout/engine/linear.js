/**
 * Owns the linear layout, for large graphs: the longest chain is a spine, with branches at its sides. Pure.
 */

import { chainsOf, rankedOf } from "./chains.js";
import { around, framedRows, framesOf, rowsOf } from "./frames.js";

/** @import {Group} from "../../run/types.d.ts" */
/** @import {Chain, Ranked} from "./chains.js" */
/** @import {Rows} from "./frames.js" */
/** @import {Part, Union} from "../union-graph.js" */
/** @import {Placed} from "./place.js" */

/**
 * Gaps in px: between columns, between rows, between a box and an edge that crosses its row, and between the
 * edges that meet one box.
 */
const GAP = { across: 36, along: 64, edge: 10, port: 24 };

/**
 * Lays out one connected part of the graph. The time is linear in the number of boxes plus the total number
 * of rows that edges cross.
 *
 * A Node is one row above its highest user, so no edge leads down. A chain of Nodes is a column. The column
 * of a chain is placed as near to the box where the chain begins as the earlier columns allow. Edges that
 * cross rows are columns, too. The columns of edges are placed last, outside of all boxes, so that no edge
 * passes behind a box.
 * @param {Union} component
 * @param {Group[]} [groups]
 * @param {number} [most] maximum sum of the rows that each edge crosses
 * @returns {Placed & {rows: number} | null} null: they cross more
 */
export function linearPlaces({ parts, lines }, groups = [], most = Infinity) {
  const ranked = rankedOf(parts, lines, groups);
  const crossed = rowsCrossed(ranked);
  if (crossed > most) return null;
  const chains = chainsOf(ranked, parts, lines);
  const columns = new Columns(parts, ranked);
  for (const chain of chains) columns.put(chain);
  const framed = framedRows(parts, ranked, groups);
  const rows = rowsOf(parts, ranked, framed, new Array(ranked.count).fill(GAP.along));
  const boxes = parts.map((part, number) => {
    const bottom = rows.bottoms[ranked.ranks[number] ?? 0] ?? 0;
    return {
      x: (columns.centres[number] ?? 0) - part.width / 2,
      y: bottom - part.height,
      width: part.width,
      height: part.height,
    };
  });
  const frames = framesOf(parts, boxes, groups);
  const [left, right] = columns.extent();
  const whole = around([{ x: left, y: 0, width: right - left, height: rows.height }, ...frames.values()]);
  const shift = (/** @type {number} */ x, /** @type {number} */ y) =>
    /** @type {[number, number]} */ ([x - whole.x, y - whole.y]);
  const centres = new Map(
    boxes.map(({ x, y, width, height }, number) => [
      parts[number]?.key ?? "",
      shift(x + width / 2, y + height / 2),
    ]),
  );
  for (const frame of frames.values()) [frame.x, frame.y] = shift(frame.x, frame.y);
  return {
    width: whole.width,
    height: whole.height,
    centres,
    routes: routesOf({ parts, ranked, columns, rows, shift }),
    frames,
    rows: crossed,
  };
}

/**
 * The number of rows that an edge crosses, summed over all edges. The time to place the edges is
 * proportional to this sum.
 * @param {Ranked} ranked
 */
function rowsCrossed({ ranks, outs }) {
  let sum = 0;
  for (const [from, leaving] of outs.entries())
    for (const { to } of leaving) sum += Math.max(0, (ranks[to] ?? 0) - (ranks[from] ?? 0));
  return sum;
}

/** The columns, and the occupied extent of each row to the left and right. */
class Columns {
  /**
   * @param {Part[]} parts
   * @param {Ranked} ranked
   */
  constructor(parts, { ranks, count }) {
    this.parts = parts;
    this.ranks = ranks;
    /**
     * The x coordinate of each box's centre.
     * @type {number[]}
     */
    this.centres = parts.map(() => 0);
    /**
     * The x coordinate of each edge that crosses rows, by the edge's number.
     * @type {Map<number, number>}
     */
    this.passes = new Map();
    this.rightEdges = new Float64Array(count).fill(-Infinity);
    this.leftEdges = new Float64Array(count).fill(Infinity);
  }

  /**
   * Places a chain to the left or right of the columns placed so far, on the side nearer to the box from
   * which the chain branches.
   * @param {Chain} chain
   */
  put(chain) {
    const near = (this.centres[chain.from] ?? 0) + (chain.isPass ? 0.01 * chain.cells.length : 0);
    const wanted = chain.isPass ? ((this.centres[chain.to] ?? near) + near) / 2 : near;
    let [most, least] = [-Infinity, Infinity];
    for (const { row, half, gap } of this.#cells(chain)) {
      most = Math.max(most, (this.rightEdges[row] ?? 0) + gap + half);
      least = Math.min(least, (this.leftEdges[row] ?? 0) - gap - half);
    }
    const onRight = Math.max(most, wanted);
    const onLeft = Math.min(least, wanted);
    const at = onRight - wanted <= wanted - onLeft ? onRight : onLeft;
    for (const { row, half, part } of this.#cells(chain)) {
      this.rightEdges[row] = Math.max(this.rightEdges[row] ?? 0, at + half);
      this.leftEdges[row] = Math.min(this.leftEdges[row] ?? 0, at - half);
      if (part >= 0) this.centres[part] = at;
    }
    for (const line of chain.lines) this.passes.set(line, at);
  }

  /**
   * For each row that a chain occupies: half of the width that it occupies there, and the gap to its
   * neighbours.
   * @param {Chain} chain
   */
  *#cells({ cells }) {
    for (const { row, part } of cells) {
      if (part < 0) yield { row, part, half: 2, gap: GAP.edge };
      else yield { row, part, half: (this.parts[part]?.width ?? 0) / 2, gap: GAP.across };
    }
  }

  /** @returns {[number, number]} */
  extent() {
    let [left, right] = [Infinity, -Infinity];
    for (const edge of this.leftEdges) left = Math.min(left, edge);
    for (const edge of this.rightEdges) right = Math.max(right, edge);
    return [left, right];
  }
}

/**
 * @typedef {{
 *   parts: Part[],
 *   ranked: Ranked,
 *   columns: Columns,
 *   rows: Rows,
 *   shift: (x: number, y: number) => [number, number],
 * }} Drawn
 */

/**
 * @param {Drawn} drawn
 * @returns {Placed["routes"]}
 */
function routesOf(drawn) {
  const { parts, ranked, columns } = drawn;
  /** @type {Placed["routes"]} */
  const routes = new Map();
  for (const [from, part] of parts.entries()) {
    /** @type {Record<"left" | "right", number>} */
    const used = { left: 0, right: 0 };
    const centre = columns.centres[from] ?? 0;
    const leaving =
      ranked.outs[from]?.map(({ to, line }) => ({
        to,
        line,
        toward: columns.passes.get(line.number) ?? columns.centres[to] ?? 0,
      })) ?? [];
    for (const { to, line, toward } of leaving.sort(
      (a, b) => Math.abs(a.toward - centre) - Math.abs(b.toward - centre),
    )) {
      const side = toward > centre ? "right" : "left";
      if (toward !== centre) used[side] += 1;
      const most = part.width / 2 - 14;
      const port =
        toward === centre ? 0 : Math.min(most, used[side] * GAP.port) * (side === "right" ? 1 : -1);
      routes.set(line.key, routeOf(drawn, { from, to, line: line.number, start: centre + port }));
    }
  }
  return routes;
}

/**
 * The route of an edge: vertical within a column. The route changes columns only between rows, where there
 * is no box.
 * @param {Drawn} drawn
 * @param {{from: number, to: number, line: number, start: number}} edge
 * @returns {[number, number][]}
 */
function routeOf({ parts, ranked, columns, rows, shift }, { from, to, line, start }) {
  const [low, high] = [ranked.ranks[from] ?? 0, ranked.ranks[to] ?? 0];
  const target = /** @type {Part} */ (parts[to]);
  const pass = columns.passes.get(line);
  const middle = columns.centres[to] ?? 0;
  const before = pass ?? columns.centres[from] ?? 0;
  const offset =
    target.shape === "none" || before === middle
      ? 0
      : Math.sign(before - middle) * Math.min(GAP.port, target.width / 6);
  const top = (rows.bottoms[low] ?? 0) - (parts[from]?.height ?? 0);
  const end = (rows.bottoms[high] ?? 0) - target.height + target.body + 2;
  /** @type {[number, number][]} */
  const corners = [
    [start, top],
    [start, rows.tops[low] ?? 0],
  ];
  if (pass !== undefined && high > low + 1)
    corners.push([pass, rows.bottoms[low + 1] ?? 0], [pass, rows.tops[high - 1] ?? 0]);
  corners.push([middle + offset, rows.bottoms[high] ?? 0], [middle + offset, end]);
  return smooth(corners.map(([x, y]) => shift(x, y)));
}

/**
 * Cubic curves through the corners, vertical at each corner. A straight section is one curve.
 * @param {[number, number][]} corners
 * @returns {[number, number][]}
 */
function smooth(corners) {
  const bends = corners.filter(([x, y], at) => {
    const [before, after] = [corners[at - 1], corners[at + 1]];
    const isOnTheWay = before !== undefined && after !== undefined && before[0] === x && after[0] === x;
    return !isOnTheWay && !(before !== undefined && before[0] === x && before[1] === y);
  });
  /** @type {[number, number][]} */
  const points = bends.slice(0, 1);
  for (const [at, [x, y]] of bends.slice(1).entries()) {
    const [x0, y0] = /** @type {[number, number]} */ (bends[at]);
    points.push([x0, (y0 + y) / 2], [x, (y0 + y) / 2], [x, y]);
  }
  return points;
}
