/**
 * Owns the decomposition of a connected graph for the linear layout. A chain is a path of boxes that is
 * drawn as one column, and a box's rank is its row. Pure.
 */

/** @import {Group} from "../../run/types.d.ts" */
/** @import {Line, Part} from "../union-graph.js" */

/** @typedef {{number: number, key: string}} Edge a line's number and key */
/**
 * @typedef {{ranks: number[], count: number, outs: {to: number, line: Edge}[][], order: number[]}} Ranked
 *   `order`: the boxes in topological order, each box after all of its users
 */
/**
 * A column of boxes. `cells` has the box in each row, from the lowest row up; -1 means that only an edge of
 * `lines` crosses the row. An edge from the box `from` leads to the column's first cell.
 * @typedef {{
 *   cells: {row: number, part: number}[],
 *   lines: number[],
 *   from: number,
 *   to: number,
 *   isPass: boolean,
 * }} Chain
 */
/**
 * @typedef {{start: number, from: number}} Begin the part at which a chain starts, and the part that leads to
 *   it (-1: none)
 */

/**
 * The chains of a connected graph in the order in which the layout places them. Each chain comes after the
 * chain from which it branches, and chains of a single leaf come first. The edges that cross rows come last,
 * from short to long.
 * @param {Ranked} ranked
 * @param {Part[]} parts
 * @param {Line[]} lines
 * @returns {Chain[]}
 */
export function chainsOf(ranked, parts, lines) {
  const depths = depthsOf(ranked);
  const hasUser = new Set(lines.map((line) => line.to));
  const taken = parts.map(() => false);
  /** @type {Set<number>} */
  const drawn = new Set();
  /** @type {Chain[]} */
  const chains = [];
  const begin = (/** @type {Begin} */ origin) => {
    const { chain, branches } = chainFrom(ranked, depths, taken, origin);
    chains.push(chain);
    for (const line of chain.lines) drawn.add(line);
    return branches;
  };
  const roots = [...parts.keys()].filter((number) => !hasUser.has(parts[number]?.key ?? ""));
  // after the roots, all other boxes are tried, because a cycle has no root
  const starts = [...roots, ...parts.keys()].map((start) => ({ start, from: -1 }));
  for (const root of starts) {
    const waiting = [root];
    for (let next = 0; next < waiting.length; next += 1) {
      const origin = /** @type {Begin} */ (waiting[next]);
      if (taken[origin.start]) continue;
      const branches = begin(origin);
      for (const leaf of branches) if (depths[leaf.start] === 0 && !taken[leaf.start]) begin(leaf);
      for (const branch of branches) waiting.push(branch);
    }
  }
  return [...chains, ...passesOf(ranked, drawn)];
}

/**
 * The rank of each box: the length of the longest path to the box from a root, such as the loss. Where
 * possible, the boxes that a group uses have higher ranks than all boxes in the group.
 * @param {Part[]} parts
 * @param {Line[]} lines
 * @param {Group[]} groups
 * @returns {Ranked}
 */
export function rankedOf(parts, lines, groups) {
  const numbers = new Map(parts.map((part, number) => [part.key, number]));
  const outs = parts.map(() => /** @type {Ranked["outs"][number]} */ ([]));
  for (const [number, line] of lines.entries())
    outs[numbers.get(line.from) ?? 0]?.push({
      to: numbers.get(line.to) ?? 0,
      line: { number, key: line.key },
    });
  const plain = outs.map((leaving) => leaving.map(({ to }) => ({ to, up: 1 })));
  const { ranks, order } = longestWays(plain);
  const within = parts.some((part) => part.around >= 0) ? longestWays(shutIn(parts, plain, groups)) : null;
  const isPossible = within !== null && within.order.length === within.ranks.length;
  const partRanks = (isPossible ? within.ranks : ranks).slice(0, parts.length);
  return {
    ranks: partRanks,
    count: partRanks.reduce((most, rank) => Math.max(most, rank + 1), 1),
    outs,
    order,
  };
}

/**
 * @typedef {{to: number, up: number}[][]} Ways the parts to which each leads, and the minimum number of rows
 *   between
 */

/**
 * Finds the longest path to each box with Kahn's algorithm. Recorded graphs have no cycles; the algorithm
 * would leave the boxes of a cycle out of `order`.
 * @param {Ways} ways
 */
export function longestWays(ways) {
  const ranks = ways.map(() => 0);
  const waiting = ways.map(() => 0);
  for (const leaving of ways) for (const { to } of leaving) waiting[to] = (waiting[to] ?? 0) + 1;
  const order = [...waiting.keys()].filter((number) => waiting[number] === 0);
  for (let next = 0; next < order.length; next += 1) {
    const number = /** @type {number} */ (order[next]);
    for (const { to, up } of ways[number] ?? []) {
      ranks[to] = Math.max(ranks[to] ?? 0, (ranks[number] ?? 0) + up);
      waiting[to] = (waiting[to] ?? 1) - 1;
      if (waiting[to] === 0) order.push(to);
    }
  }
  return { ranks, order };
}

/**
 * The number of a group's floor, a point below all boxes of the group. The group's ceiling, above all its
 * boxes, has the next number.
 * @param {Part[]} parts
 * @param {number} group
 */
export function floorOf(parts, group) {
  return parts.length + 2 * group;
}

/**
 * Adds two points for each group to the graph, a floor and a ceiling. An edge out of a group begins at the
 * group's ceiling, and an edge into a group ends at its floor.
 * @param {Part[]} parts
 * @param {Ways} plain
 * @param {Group[]} groups
 * @returns {Ways}
 */
export function shutIn(parts, plain, groups) {
  const floor = (/** @type {number} */ group) => floorOf(parts, group);
  const ways = [
    ...plain.map(() => /** @type {Ways[number]} */ ([])),
    ...groups.flatMap(() => [/** @type {Ways[number]} */ ([]), /** @type {Ways[number]} */ ([])]),
  ];
  const shut = (/** @type {number} */ group, /** @type {number} */ low, /** @type {number} */ high) => {
    if (group < 0) return;
    ways[floor(group)]?.push({ to: low, up: 0 });
    ways[high]?.push({ to: floor(group) + 1, up: 0 });
  };
  for (const [number, part] of parts.entries()) shut(part.around, number, number);
  for (const [group, { parent }] of groups.entries()) shut(parent, floor(group), floor(group) + 1);
  const depths = groupDepths(groups);
  for (const [from, leaving] of plain.entries()) {
    for (const { to } of leaving) {
      let [left, right, low, high] = [parts[from]?.around ?? -1, parts[to]?.around ?? -1, from, to];
      while (left !== right) {
        const isLeft = (depths[left] ?? -1) >= (depths[right] ?? -1);
        if (isLeft) [low, left] = [floor(left) + 1, groups[left]?.parent ?? -1];
        else [high, right] = [floor(right), groups[right]?.parent ?? -1];
      }
      ways[low]?.push({ to: high, up: 1 });
    }
  }
  return ways;
}

/** @param {Group[]} groups */
function groupDepths(groups) {
  /** @type {number[]} */
  const depths = [];
  for (const { parent } of groups) depths.push((depths[parent] ?? -1) + 1);
  return depths;
}

/**
 * The length of the longest path that leads up from each box.
 * @param {Ranked} ranked
 */
function depthsOf({ outs, order }) {
  const depths = outs.map(() => 0);
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const number = /** @type {number} */ (order[at]);
    for (const { to } of outs[number] ?? [])
      depths[number] = Math.max(depths[number] ?? 0, (depths[to] ?? 0) + 1);
  }
  return depths;
}

/**
 * Follows from each box the edge that begins the longest path up. The chain ends at a box of another chain,
 * or at a box without outgoing edges.
 * @param {Ranked} ranked
 * @param {number[]} depths
 * @param {boolean[]} taken
 * @param {Begin} begin
 */
function chainFrom({ ranks, outs }, depths, taken, { start, from }) {
  /** @type {Chain} */
  const chain = { cells: [], lines: [], from, to: -1, isPass: false };
  /** @type {Begin[]} */
  const branches = [];
  for (let part = start; part >= 0; ) {
    taken[part] = true;
    chain.cells.push({ row: ranks[part] ?? 0, part });
    const deepest = deepestOf(outs[part] ?? [], depths, taken);
    for (const { to } of outs[part] ?? []) if (to !== deepest?.to) branches.push({ start: to, from: part });
    if (deepest === undefined) break;
    const { to, line } = deepest;
    const last = (ranks[to] ?? 0) - 1;
    for (let row = (ranks[part] ?? 0) + 1; row <= last; row += 1) chain.cells.push({ row, part: -1 });
    chain.lines.push(line.number);
    part = taken[to] ? -1 : to;
  }
  return { chain, branches: branches.filter((branch) => !taken[branch.start]) };
}

/**
 * The edge of a box that begins the longest path up. Edges to boxes that are in no chain yet are preferred.
 * @param {Ranked["outs"][number]} outs
 * @param {number[]} depths
 * @param {boolean[]} taken
 */
function deepestOf(outs, depths, taken) {
  /** @type {Ranked["outs"][number][number] | undefined} */
  let best;
  const weight = (/** @type {number} */ part) => (depths[part] ?? 0) + (taken[part] ? 0 : 1e9);
  for (const out of outs) if (best === undefined || weight(out.to) > weight(best.to)) best = out;
  return best;
}

/**
 * The edges that belong to no chain and cross at least one row, each as a column.
 * @param {Ranked} ranked
 * @param {Set<number>} drawn
 * @returns {Chain[]}
 */
function passesOf({ ranks, outs }, drawn) {
  /** @type {Chain[]} */
  const passes = [];
  for (const [from, leaving] of outs.entries()) {
    for (const { to, line } of leaving) {
      const [low, high] = [(ranks[from] ?? 0) + 1, ranks[to] ?? 0];
      if (drawn.has(line.number) || high <= low) continue;
      const cells = Array.from({ length: high - low }, (_, row) => ({ row: low + row, part: -1 }));
      passes.push({ cells, lines: [line.number], from, to, isPass: true });
    }
  }
  return passes.sort((a, b) => a.cells.length - b.cells.length);
}
