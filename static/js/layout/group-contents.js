/** Owns what happens inside a folded group at a step, so that a fold hides boxes and no news. Pure. */

import { firstWhere } from "../run/sorted.js";

/** @import {GraphBox, GraphLayout, Index, State} from "../run/types.d.ts" */

/** @typedef {NonNullable<GraphBox["fold"]>} Fold */
/**
 * @typedef {{
 *   born: number[],
 *   freed: number,
 *   edges: Map<number, string[]>,
 *   spoilt: number[],
 *   runs: Map<number, number[]>,
 * }} Kept what is known of a fold whatever the step
 */
/**
 * @typedef {{
 *   count: number,
 *   ran: number,
 *   active: boolean,
 *   is_new: boolean,
 *   freed: boolean,
 *   stale: boolean,
 * }} GroupContents
 */

/** @type {WeakMap<Fold, Kept>} */
const known = new WeakMap();

/**
 * @param {Index} index
 * @param {State} state
 * @param {Fold} fold
 * @returns {GroupContents}
 */
export function groupContentsAt(index, state, fold) {
  const kept = known.get(fold) ?? keptOf(index, fold);
  known.set(fold, kept);
  const count = upTo(kept.born, state.tick);
  return {
    count,
    ran: upTo(kept.runs.get(state.stop.statement) ?? [], state.tick),
    active: isActive(state, kept),
    is_new: count > upTo(kept.born, state.before),
    freed: kept.freed <= state.tick,
    stale: kept.spoilt.some((saved) => state.saved.get(saved) === "stale"),
  };
}

/**
 * A shared AccumulateGrad stands in many groups; it is this one's turn when a gradient came to it from here.
 * @param {State} state
 * @param {Kept} kept
 */
function isActive(state, kept) {
  const edges = kept.edges.get(state.stop.node ?? -1);
  return (
    edges !== undefined && (edges.length === 0 || edges.some((edge) => state.arrived(edge) !== undefined))
  );
}

/**
 * @param {Index} index
 * @param {Fold} fold
 * @returns {Kept}
 */
function keptOf(index, { nodes }) {
  const own = nodes.map((id) => index.nodes[id]).filter((node) => node !== undefined);
  const inner = own.filter((node) => node.variable === undefined);
  /** @type {Kept["edges"]} */
  const edges = new Map(nodes.map((id) => [id, []]));
  /** @type {Kept["runs"]} */
  const runs = new Map();
  for (const { id, edges: next } of inner)
    for (const [number, edge] of next.entries())
      if (index.nodes[edge?.node ?? -1]?.variable !== undefined)
        edges.get(edge?.node ?? -1)?.push(`${id}.${number}`);
  for (const id of nodes)
    for (const { statement, ended } of index.lookups.runs_of()(id)) pushTo(runs, statement, ended);
  for (const ended of runs.values()) ended.sort((a, b) => a - b);
  return {
    born: own.map((node) => node.born).sort((a, b) => a - b),
    freed: inner.reduce((last, node) => Math.max(last, node.freed ?? Infinity), -1),
    edges,
    spoilt: nodes
      .flatMap((id) => index.saved_of[id] ?? [])
      .filter((saved) => saved.outdated !== undefined || saved.overwritten !== undefined)
      .map((saved) => saved.id),
    runs,
  };
}

/**
 * @template T
 * @param {Map<number, T[]>} lists
 * @param {number} key
 * @param {T} own
 */
function pushTo(lists, key, own) {
  const list = lists.get(key);
  if (list) list.push(own);
  else lists.set(key, [own]);
}

/**
 * How many of these are not later than a tick.
 * @param {number[]} ticks in order
 * @param {number} tick
 */
function upTo(ticks, tick) {
  return firstWhere(ticks.length, (at) => (ticks[at] ?? 0) > tick);
}

/** @type {WeakMap<GraphLayout, Map<number, GraphBox[]>>} */
const boxesByNode = new WeakMap();

/**
 * The boxes that a Node has in a picture, or is folded in.
 * @param {GraphLayout} layout
 * @param {number} node
 */
export function boxesOf(layout, node) {
  let boxes = boxesByNode.get(layout);
  if (boxes === undefined) {
    boxes = new Map();
    for (const box of layout.boxes) for (const id of box.fold?.nodes ?? [box.node]) pushTo(boxes, id, box);
    boxesByNode.set(layout, boxes);
  }
  return boxes.get(node) ?? [];
}

/**
 * Whether what is told of a Node happened in this very box: an AccumulateGrad that is drawn once per use is
 * reached along that edge.
 * @param {Index} index
 * @param {State} state
 * @param {GraphBox} box
 * @param {number} node
 */
export function isHere(index, state, box, node) {
  const edge = box.key.split("@")[1];
  if (box.fold === null) return edge === undefined || state.arrived(edge) !== undefined;
  groupContentsAt(index, state, box.fold);
  const edges = known.get(box.fold)?.edges.get(node) ?? [];
  return edges.length === 0 || edges.some((own) => state.arrived(own) !== undefined);
}
