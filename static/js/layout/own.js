/** Owns the linear layout for when Graphviz cannot run or is too slow: ranks by distance, children over their users. Pure. */

/** @import {Line, Part, Union} from "./graph.js" */
/** @import {Placed} from "./place.js" */

const GAP = { across: 30, along: 56 };

/**
 * Places for one component: a Node stands above all its users, side by side in order of discovery. Linear in its size.
 * @param {Union} component
 * @returns {Placed}
 */
export function ownPlaces({ parts, lines }) {
  const ranks = ranksOf(parts, lines);
  /** @type {Part[][]} */
  const rows = [];
  for (const part of parts) {
    const rank = ranks.get(part.key) ?? 0;
    (rows[rank] ??= []).push(part);
  }
  const width = Math.max(...rows.map(rowWidth));
  /** @type {Map<string, [number, number]>} */
  const centres = new Map();
  let y = 0;
  for (const row of [...rows].reverse()) {
    const height = Math.max(...row.map((part) => part.height));
    let x = (width - rowWidth(row)) / 2;
    for (const part of row) {
      centres.set(part.key, [x + part.width / 2, y + height - part.height / 2]);
      x += part.width + GAP.across;
    }
    y += height + GAP.along;
  }
  return { width, height: y - GAP.along, centres, routes: new Map() };
}

/** @param {Part[]} row */
function rowWidth(row) {
  return row.reduce((sum, part) => sum + part.width, 0) + (row.length - 1) * GAP.across;
}

/** The longest way from a root, by Kahn's algorithm. @param {Part[]} parts @param {Line[]} lines */
function ranksOf(parts, lines) {
  const waiting = new Map(parts.map((part) => [part.key, 0]));
  /** @type {Map<string, Line[]>} */
  const next = new Map(parts.map((part) => [part.key, []]));
  for (const line of lines) {
    waiting.set(line.to, (waiting.get(line.to) ?? 0) + 1);
    next.get(line.from)?.push(line);
  }
  const ranks = new Map(parts.map((part) => [part.key, 0]));
  const ready = parts.filter((part) => waiting.get(part.key) === 0).map((part) => part.key);
  for (let key = ready.pop(); key !== undefined; key = ready.pop()) {
    for (const line of next.get(key) ?? []) {
      ranks.set(line.to, Math.max(ranks.get(line.to) ?? 0, (ranks.get(key) ?? 0) + 1));
      const left = (waiting.get(line.to) ?? 1) - 1;
      waiting.set(line.to, left);
      if (left === 0) ready.push(line.to);
    }
  }
  return ranks;
}
