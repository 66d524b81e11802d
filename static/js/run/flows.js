/**
 * Owns the gradients along edges of the graph: which gradient backward passed last along an edge, up to a
 * tick. Pure.
 */

import { grouped } from "./grouped.js";
import { perRun, perTrace } from "./per-run.js";
import { firstWhere } from "./sorted.js";

/** @import {Gradient} from "./trace.d.ts" */
/** @import {Index} from "./types.d.ts" */

/** @typedef {Map<string, Gradient[]>} ByEdge by the key of the edge, oldest first */

const byStatement = perTrace((_index) => /** @type {Map<number, ByEdge>} */ (new Map()));

/**
 * The gradients that backward passed during a statement, by their edge: the key is "node.edge". The
 * gradients with which backward begins have the key "root<node>".
 * @param {Index} index
 * @param {number} statement
 */
function edgesOf(index, statement) {
  const known = byStatement(index).get(statement);
  if (known !== undefined) return known;
  const edges = grouped(index.lookups.gradients_of()(statement).upTo(Infinity), ({ node, edge, to }) =>
    node === null ? `root${to}` : `${node}.${edge}`,
  );
  byStatement(index).set(statement, edges);
  return edges;
}

/**
 * The last gradient along an edge up to a tick.
 * @param {Index} index
 * @param {number} statement
 * @param {number} tick
 * @param {string} edge
 */
export function gradientAlong(index, statement, tick, edge) {
  return lastOf(edgesOf(index, statement).get(edge), tick);
}

const bundles = perTrace((_index) =>
  perRun((/** @type {string[]} */ _edges) => /** @type {Map<number, Gradient[]>} */ (new Map())),
);

/**
 * The last gradient along any of several edges up to a tick. The gradients of a statement are sorted by tick
 * only once.
 * @param {Index} index
 * @param {number} statement
 * @param {number} tick
 * @param {string[]} edges the same list at every call
 */
export function gradientAlongAny(index, statement, tick, edges) {
  const all = edgesOf(index, statement);
  if (all.size === 0) return undefined;
  const known = bundles(index)(edges);
  const gathered =
    known.get(statement) ?? edges.flatMap((edge) => all.get(edge) ?? []).sort((a, b) => a.tick - b.tick);
  known.set(statement, gathered);
  return lastOf(gathered, tick);
}

/**
 * The root Nodes of a statement's backward: those that received an initial gradient, up to a tick.
 * @param {Index} index
 * @param {number} statement
 * @param {number} tick
 * @returns {number[]}
 */
export function rootsOf(index, statement, tick) {
  const roots = rootsByStatement(index).get(statement) ?? [
    ...new Set(
      index.lookups
        .gradients_of()(statement)
        .upTo(Infinity)
        .filter(({ node }) => node === null),
    ),
  ];
  rootsByStatement(index).set(statement, roots);
  return roots.filter((gradient) => gradient.tick <= tick).map(({ to }) => to ?? -1);
}

/**
 * The gradients that a Node received for one of its runs: those since its previous run, or since the
 * statement began, until the run ended.
 * @param {Index} index
 * @param {number} statement
 * @param {{node: number, began: number, ended: number}} run
 */
export function arrivalsIn(index, statement, { node, began, ended }) {
  const last = index.lookups
    .runs_of()(node)
    .findLast((run) => run.ended < ended && run.began < began);
  const since = Math.max(last?.ended ?? -1, index.steps[statement]?.began ?? -1);
  return (byReceiver(index).get(node) ?? []).filter(({ tick }) => since < tick && tick <= ended);
}

/**
 * By Node, the gradients that the Node received. The result is cached, because a "Why?" answer asks for the
 * gradients of many Nodes.
 */
const byReceiver = perTrace((index) => grouped(index.gradients, ({ to }) => to));

const rootsByStatement = perTrace((_index) => /** @type {Map<number, Gradient[]>} */ (new Map()));

/**
 * @param {Gradient[] | undefined} gradients
 * @param {number} tick
 */
function lastOf(gradients, tick) {
  if (gradients === undefined) return undefined;
  return gradients[firstWhere(gradients.length, (at) => (gradients[at]?.tick ?? 0) > tick) - 1];
}
