/**
 * Owns which leaves of a run never get a gradient, according to its findings, from which tick on they are
 * marked, and which line cuts them off the graph. Pure.
 */

import { at } from "../facts.js";
import { perTrace } from "../per-run.js";
import { innermost } from "../step-tree.js";

/** @import {Finding, Tensor} from "../trace.d.ts" */
/** @import {Cut, Index, Unreached} from "../types.d.ts" */

const KINDS = new Set(["untrained_parameter", "never_reached", "cut_graph"]);

/** @typedef {{leaves: Map<number, Unreached>, cuts: Map<number, Cut>}} Left `cuts`: by Node */

/** The leaves without a gradient, and the Nodes after which a line cuts the graph. */
export const unreachedIn = perTrace((/** @type {Index} */ index) => {
  /** @type {Left} */
  const left = { leaves: new Map(), cuts: new Map() };
  for (const finding of index.findings) if (KINDS.has(finding.kind)) add(index, finding, left);
  return left;
});

/**
 * @param {Index} index
 * @param {Finding} finding
 * @param {Left} left
 */
function add(index, { kind, severity, tick, tensors = [], steps = [], ...finding }, left) {
  const { cut_line: line = 0 } = finding.arguments ?? {};
  const results = tensors.flatMap((id) => {
    const fact = at(index.tensors[id]?.grad_fn, tick);
    return fact?.kind === "grad_fn" ? [fact.node] : [];
  });
  const cutAt = line === 0 ? 0 : (index.steps[steps[0] ?? -1]?.began ?? 0);
  for (const id of [...tensors, ...leavesBehind(index, results)]) {
    const tensor = index.tensors[id];
    if (tensor === undefined || left.leaves.has(id) || !isLeft(tensor, tick)) continue;
    const from = kind === "cut_graph" ? tick : (backwardAfter(index, Math.max(tensor.born, cutAt)) ?? tick);
    const cut = { from, found: tick, line, isHint: severity === "hint" };
    left.leaves.set(id, { tensor: id, ...cut });
    const leafNodes = results.length > 0 ? [] : index.lookups.leaves_of()(id);
    const nodes = [...results, ...leafNodes.map((node) => node.id)];
    if (line !== 0) for (const node of nodes) left.cuts.set(node, cut);
  }
}

/**
 * Whether a tensor is a leaf that requires grad and never has a gradient in the run.
 * @param {Tensor} tensor
 * @param {number} tick
 */
function isLeft({ is_leaf, requires_grad, grad = [] }, tick) {
  const isAsked = at(is_leaf, tick) === true && at(requires_grad, tick) === true;
  return isAsked && grad.every(([, each]) => each === null);
}

/**
 * The leaves that a backward from the given Nodes would reach.
 * @param {Index} index
 * @param {number[]} nodes
 */
function leavesBehind(index, nodes) {
  const met = new Set(nodes);
  // the loop also visits Nodes that it adds to the set
  for (const id of met) for (const edge of index.nodes[id]?.edges ?? []) if (edge) met.add(edge.node);
  return [...met].flatMap((id) => index.nodes[id]?.variable ?? []);
}

/**
 * The tick at which the first backward after a given tick ends; undefined if there is none.
 * @param {Index} index
 * @param {number} tick
 */
function backwardAfter(index, tick) {
  const ran = nodesRun(index).find(({ began }) => began > tick);
  return ran && innermost(index.steps, ran, "statement")?.ended;
}

const nodesRun = perTrace(({ steps }) => steps.filter(({ kind }) => kind === "node"));
