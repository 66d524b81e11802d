/** Summarizes the Nodes in a folded group at a step, for the display in the group's box. Pure. */

import { addTo } from "../run/grouped.js";
import { perRun, perTrace } from "../run/per-run.js";
import { upTo } from "../run/sorted.js";
import { isUsedStale } from "../run/state-at.js";

/** @import {GraphBox, GraphLayout, Index, State} from "../run/types.d.ts" */

/** @typedef {NonNullable<GraphBox["fold"]>} Fold */
/**
 * @typedef {{
 *   born: number[],
 *   freed: number,
 *   edges: Map<number, string[]>,
 *   stale: number[],
 *   released: number[],
 *   runs: Map<number, number[]>,
 * }} GroupFacts facts about a folded group for all steps; `stale` and `released` have the ticks at which
 * saved tensors become stale, and are no longer stale
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

/**
 * @param {Index} index
 * @param {State} state
 * @param {Fold} fold
 * @returns {GroupContents}
 */
export function groupContentsAt(index, state, fold) {
  const facts = factsOf(index)(fold);
  const count = upTo(facts.born, state.tick);
  return {
    count,
    ran: upTo(facts.runs.get(state.stop.statement) ?? [], state.tick),
    active: isActive(state, facts),
    is_new: count > upTo(facts.born, state.before),
    freed: facts.freed <= state.tick,
    stale: upTo(facts.stale, state.tick) > upTo(facts.released, state.tick),
  };
}

/**
 * Whether a Node of the group runs. An AccumulateGrad that several groups share counts as running only in
 * the group from which a gradient reached it.
 * @param {State} state
 * @param {GroupFacts} facts
 */
function isActive(state, facts) {
  const edges = facts.edges.get(state.stop.node ?? -1);
  return (
    edges !== undefined && (edges.length === 0 || edges.some((edge) => state.arrived(edge) !== undefined))
  );
}

const factsOf = perTrace((/** @type {Index} */ index) =>
  perRun((/** @type {Fold} */ fold) => groupFacts(index, fold)),
);

/**
 * Prepares the facts of a layout's folded groups, in slices.
 * @param {Index} index
 * @param {GraphLayout} layout
 * @returns {Generator<void, void>}
 */
export function* preparingGroups(index, layout) {
  for (const { fold } of layout.boxes) {
    if (fold === null) continue;
    factsOf(index)(fold);
    yield;
  }
  boxesByNode(layout);
}

/**
 * @param {Index} index
 * @param {Fold} fold
 * @returns {GroupFacts}
 */
function groupFacts(index, { nodes: ids }) {
  const nodes = ids.map((id) => index.nodes[id]).filter((node) => node !== undefined);
  const inner = nodes.filter((node) => node.variable === undefined);
  /** @type {GroupFacts["edges"]} */
  const edges = new Map(ids.map((id) => [id, []]));
  /** @type {GroupFacts["runs"]} */
  const runs = new Map();
  for (const { id, edges: next } of inner)
    for (const [number, edge] of next.entries())
      if (index.nodes[edge?.node ?? -1]?.variable !== undefined)
        edges.get(edge?.node ?? -1)?.push(`${id}.${number}`);
  for (const id of ids)
    for (const { statement, ended } of index.lookups.runs_of()(id)) addTo(runs, statement, ended);
  for (const ended of runs.values()) ended.sort((a, b) => a - b);
  const spans = ids.flatMap((id) => index.saved_of[id] ?? []).flatMap((saved) => staleSpans(index, saved));
  return {
    born: nodes.map((node) => node.born).sort((a, b) => a - b),
    freed: inner.reduce((last, node) => Math.max(last, node.freed ?? Infinity), -1),
    edges,
    stale: spans.map(([began]) => began).sort((a, b) => a - b),
    released: spans.map(([, ended]) => ended).sort((a, b) => a - b),
    runs,
  };
}

/**
 * The spans of ticks in which a saved tensor is stale. There can be several spans, because a write may
 * restore the saved values. If a Node used the stale saved tensor, the last span does not end when the Node
 * releases the tensor.
 * @param {Index} index
 * @param {Index["saved_tensors"][number]} saved
 * @returns {[number, number][]}
 */
function staleSpans(index, saved) {
  const { outdated = [], overwritten = [] } = saved;
  const released = isUsedStale(index, saved) ? Infinity : (saved.released ?? Infinity);
  const changed = overwritten.flatMap(([tick, write], place) => {
    const ended = overwritten[place + 1]?.[0] ?? released;
    return write === null ? [] : [/** @type {[number, number]} */ ([tick, Math.min(ended, released)])];
  });
  return [...outdated.map(([tick]) => /** @type {[number, number]} */ ([tick, released])), ...changed];
}

const boxesByNode = perRun((/** @type {GraphLayout} */ layout) => {
  /** @type {Map<number, GraphBox[]>} */
  const boxes = new Map();
  for (const box of layout.boxes) for (const id of box.fold?.nodes ?? [box.node]) addTo(boxes, id, box);
  return boxes;
});

/**
 * The boxes that show a Node in a layout: its own, or those of the folded groups that contain it.
 * @param {GraphLayout} layout
 * @param {number} node
 */
export function boxesOf(layout, node) {
  return boxesByNode(layout).get(node) ?? [];
}

/**
 * Whether a box shows what a Node does in this step. If an AccumulateGrad is drawn once per use, only the
 * box whose edge the gradient passed shows it.
 * @param {Index} index
 * @param {State} state
 * @param {GraphBox} box
 * @param {number} node
 */
export function isHere(index, state, box, node) {
  const edges = edgesInto(index, box, node);
  return edges.length === 0 || edges.some((edge) => state.arrived(edge) !== undefined);
}

/**
 * The keys of the edges by which gradients reach a Node in a given box; empty: any edge of the Node counts.
 * @param {Index} index
 * @param {GraphBox} box
 * @param {number} node
 */
export function edgesInto(index, box, node) {
  const use = box.key.split("@")[1];
  if (box.fold !== null) return factsOf(index)(box.fold).edges.get(node) ?? [];
  return use === undefined ? [] : [use];
}
