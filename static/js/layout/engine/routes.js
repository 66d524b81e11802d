/** Owns the routes of edges in the layered layout: from port to port, clear of every box. Pure. */

/** @import {Box} from "../../run/types.d.ts" */
/** @import {Part} from "../union-graph.js" */
/** @import {Grid} from "./layered.js" */

/** @typedef {[number, number]} Point */
/** @typedef {{points: number[], start: number, end: number}} Way the points of an edge, and its ports */

/**
 * Distances in px between the points where edges meet a box, and from the outermost of these points to the
 * box's sides. A gradient's bucket is narrow at its bottom, so it needs more.
 */
const PORT = { apart: 24, inset: 14, bucket: 26 };
/** The minimum distance in px between a curve and a box that the curve passes. */
const CLEAR = 4;
/** The maximum horizontal distance in px of a curve from the points that it may skip. */
const ASIDE = 60;
/** The distance in px between two points of a curve that are tested for touching a box. */
const LOOKED_AT = 12;

/**
 * The curves of all edges, and their length.
 * @param {Part[]} parts
 * @param {Box[]} boxes
 * @param {[number, number][]} edges
 * @param {Grid} grid
 */
export function routesOf(parts, boxes, edges, grid) {
  const { layers, xs } = grid;
  const toward = layers.ways.map((way) => xs[way[1] ?? 0] ?? 0);
  const from = layers.ways.map((way) => xs[way.at(-2) ?? 0] ?? 0);
  const starts = portsOf(
    parts,
    xs,
    edges.map(([part]) => part),
    toward,
  );
  const ends = portsOf(
    parts,
    xs,
    edges.map(([, part]) => part),
    from,
  );
  const ways = layers.ways.map((points, number) => ({
    points,
    start: starts[number] ?? 0,
    end: ends[number] ?? 0,
  }));
  // if one edge of a box bends between rows, all edges of the box bend, because a straight edge would cross
  // the bent edge
  const narrow = new Set(
    edges.flatMap((edge, number) => {
      const way = /** @type {Way} */ (ways[number]);
      return way.points.length > 2 ||
        isClear(curve(...endsOf(parts, boxes, edge, way)), othersOf(boxes, edge))
        ? []
        : edge;
    }),
  );
  let length = 0;
  const routes = edges.map((edge, number) => {
    const isNarrow = edge.some((part) => narrow.has(part));
    const route = routeOf(parts, boxes, edge, { .../** @type {Way} */ (ways[number]), isNarrow }, grid);
    for (const [at, [x, y]] of route.slice(1).entries()) {
      const [before, above] = /** @type {Point} */ (route[at]);
      length += Math.hypot(x - before, y - above);
    }
    return route;
  });
  return { routes, length };
}

/**
 * The x coordinate at which each edge meets its box, as near as possible to the edge's other end. The edges
 * at one box keep the order of their other ends and a minimum distance.
 * @param {Part[]} parts
 * @param {number[]} xs
 * @param {number[]} owners the part of each edge
 * @param {number[]} toward
 */
function portsOf(parts, xs, owners, toward) {
  /** @type {number[][]} */
  const edgesOf = parts.map(() => []);
  for (const [number, owner] of owners.entries()) edgesOf[owner]?.push(number);
  /** @type {number[]} */
  const ports = [];
  for (const [owner, numbers] of edgesOf.entries()) {
    if (numbers.length === 0) continue;
    const part = /** @type {Part} */ (parts[owner]);
    const centre = xs[owner] ?? 0;
    if (part.shape === "none") {
      for (const number of numbers) ports[number] = centre;
      continue;
    }
    numbers.sort((a, b) => (toward[a] ?? 0) - (toward[b] ?? 0) || a - b);
    const reach = part.width / 2 - (part.shape === "bucket" ? PORT.bucket : PORT.inset);
    const apart = Math.min(PORT.apart, (2 * reach) / Math.max(1, numbers.length - 1));
    const wanted = numbers.map((number) => Math.max(-reach, Math.min(reach, (toward[number] ?? 0) - centre)));
    const places = spaced(wanted, apart, reach);
    for (const [at, number] of numbers.entries()) ports[number] = centre + (places[at] ?? 0);
  }
  return ports;
}

/**
 * Positions as near as possible to the wanted positions, in the same order and at least `apart` from each
 * other.
 * @param {number[]} wanted
 * @param {number} apart
 * @param {number} reach
 */
function spaced(wanted, apart, reach) {
  /** @type {{sum: number, count: number}[]} each a run of positions without slack */
  const blocks = [];
  for (const [at, place] of wanted.entries()) {
    let block = { sum: place - at * apart, count: 1 };
    for (
      let before = blocks.at(-1);
      before && before.sum / before.count > block.sum / block.count;
      before = blocks.at(-1)
    ) {
      block = { sum: block.sum + before.sum, count: block.count + before.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  const places = blocks.flatMap(({ sum, count }) => new Array(count).fill(sum / count));
  const last = (wanted.length - 1) * apart;
  return places.map((place, at) => Math.max(-reach, Math.min(reach - last, place)) + at * apart);
}

/**
 * The points at which an edge begins and ends: the top of its lower box and the bottom of its upper box.
 * @param {Part[]} parts
 * @param {Box[]} boxes
 * @param {[number, number]} edge
 * @param {Way} way
 * @returns {[Point, Point]}
 */
function endsOf(parts, boxes, [from, to], { start, end }) {
  const target = /** @type {Part} */ (parts[to]);
  const foot = (boxes[to]?.y ?? 0) + target.body + (target.shape === "none" ? 0 : 2);
  return [
    [start, boxes[from]?.y ?? 0],
    [end, foot],
  ];
}

/**
 * @param {Box[]} boxes
 * @param {[number, number]} edge
 */
function othersOf(boxes, [from, to]) {
  return boxes.filter((_, number) => number !== from && number !== to);
}

/**
 * The curves that draw an edge. Simple curves are used where they touch no box. Elsewhere the curves go
 * through the edge's point in each row, and move sideways only between rows.
 * @param {Part[]} parts
 * @param {Box[]} boxes
 * @param {[number, number]} edge
 * @param {Way & {isNarrow: boolean}} way
 * @param {Grid} grid
 * @returns {Point[]}
 */
function routeOf(parts, boxes, edge, way, { layers, xs, tops, bottoms }) {
  const [first, last] = endsOf(parts, boxes, edge, way);
  const others = othersOf(boxes, edge);
  const isPlain = (/** @type {Point} */ a, /** @type {Point} */ b) =>
    !way.isNarrow && isClear(curve(a, b), others);
  /** @type {Point[]} */
  const corners = [first];
  for (const point of way.points.slice(1, -1)) {
    const row = layers.rowOf[point] ?? 0;
    corners.push([xs[point] ?? 0, bottoms[row] ?? 0], [xs[point] ?? 0, tops[row] ?? 0]);
  }
  corners.push(last);
  /** @type {Point[]} */
  const route = [first];
  for (let at = 0; at < corners.length - 1; ) {
    const a = /** @type {Point} */ (corners[at]);
    let next = corners.length - 1;
    while (next > at + 1 && !(isNear(corners, at, next) && isPlain(a, /** @type {Point} */ (corners[next]))))
      next -= 1;
    const b = /** @type {Point} */ (corners[next]);
    if (next > at + 1 || isPlain(a, b)) route.push(...curve(a, b).slice(1));
    else {
      const [low, high] = edge.map((part) => layers.rowOf[part] ?? 0);
      const begin = /** @type {Point} */ ([a[0], at === 0 ? (tops[low ?? 0] ?? 0) : a[1]]);
      const end = /** @type {Point} */ ([
        b[0],
        next === corners.length - 1 ? (bottoms[high ?? 0] ?? 0) : b[1],
      ]);
      if (begin[1] < a[1]) route.push(...curve(a, begin).slice(1));
      route.push(...curve(begin, end).slice(1));
      if (end[1] > b[1]) route.push(...curve(end, b).slice(1));
    }
    at = next;
  }
  return route;
}

/**
 * Whether a curve may skip the corners between two given corners, because all of them are at nearly the same
 * x coordinate.
 * @param {Point[]} corners
 * @param {number} at
 * @param {number} next
 */
function isNear(corners, at, next) {
  const xs = corners.slice(at, next + 1).map(([x]) => x);
  return Math.max(...xs) - Math.min(...xs) <= ASIDE;
}

/**
 * A cubic Bézier curve that is vertical at both ends.
 * @param {Point} a
 * @param {Point} b
 * @returns {Point[]}
 */
function curve([x1, y1], [x2, y2]) {
  const bend = (y1 - y2) / 2;
  return [
    [x1, y1],
    [x1, y1 - bend],
    [x2, y2 + bend],
    [x2, y2],
  ];
}

/**
 * @param {Point[]} points
 * @param {Box[]} boxes
 */
function isClear([a, b, c, d], boxes) {
  const [[x1, y1], [x2, y2], [x3, y3], [x4, y4]] = /** @type {[Point, Point, Point, Point]} */ ([a, b, c, d]);
  const [left, right] = [Math.min(x1, x4) - CLEAR, Math.max(x1, x4) + CLEAR];
  const near = boxes.filter(
    (box) => box.x < right && box.x + box.width > left && box.y < y1 && box.y + box.height > y4,
  );
  const steps = near.length === 0 ? 0 : Math.ceil((y1 - y4 + Math.abs(x1 - x4)) / LOOKED_AT);
  for (let step = 1; step < steps; step += 1) {
    const t = step / steps;
    const mix = (
      /** @type {number} */ p,
      /** @type {number} */ q,
      /** @type {number} */ r,
      /** @type {number} */ s,
    ) => (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * q + 3 * (1 - t) * t ** 2 * r + t ** 3 * s;
    const [x, y] = [mix(x1, x2, x3, x4), mix(y1, y2, y3, y4)];
    for (const box of near)
      if (x > box.x - CLEAR && x < box.x + box.width + CLEAR && y > box.y - CLEAR && y < box.y + box.height)
        return false;
  }
  return true;
}
