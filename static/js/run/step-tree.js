/** Owns the ancestors of a step: the statements, Nodes and operators during which the step ran. Pure. */

import { perRun } from "./per-run.js";

/** @import {Span, Step} from "./trace.d.ts" */

/**
 * @param {readonly Step[]} steps
 * @param {Step} step
 */
export function parentOf(steps, { parent }) {
  return parent === undefined ? undefined : steps[parent];
}

/**
 * The first step that satisfies a condition, among a step and its ancestors from the inside out.
 * @param {readonly Step[]} steps
 * @param {Step | undefined} step
 * @param {(step: Step) => boolean} isWanted
 * @returns {Step | undefined}
 */
export function ancestor(steps, step, isWanted) {
  let candidate = step;
  while (candidate !== undefined && !isWanted(candidate)) candidate = parentOf(steps, candidate);
  return candidate;
}

/**
 * For each step, the ids of four ancestors: the outermost one, the innermost one that has lines, the
 * innermost statement, and the innermost run of a Node; -1 if there is none. A step counts as its own
 * ancestor. Ancestors are computed before their descendants, without recursion, because steps may be nested
 * very deeply.
 */
const treeOf = perRun((/** @type {readonly Step[]} */ steps) => {
  const empty = () => new Int32Array(steps.length);
  const tree = { outer: empty(), spanned: empty(), statement: empty(), node: empty() };
  for (const [id, { parent, span, kind }] of steps.entries()) {
    const around = (/** @type {Int32Array} */ found) => (parent === undefined ? -1 : (found[parent] ?? -1));
    tree.outer[id] = parent === undefined ? id : around(tree.outer);
    tree.spanned[id] = span !== undefined ? id : around(tree.spanned);
    tree.statement[id] = kind === "statement" ? id : around(tree.statement);
    tree.node[id] = kind === "node" ? id : around(tree.node);
  }
  return tree;
});

/**
 * The innermost statement, or the innermost run of a Node, that contains a step or is the step itself.
 * @param {readonly Step[]} steps
 * @param {Step} step
 * @param {"statement" | "node"} kind
 */
export function innermost(steps, step, kind) {
  return steps[treeOf(steps)[kind][step.id] ?? -1];
}

/**
 * The outermost step that contains a step or is the step itself: a statement of the module's frame.
 * @param {readonly Step[]} steps
 * @param {Step | undefined} step
 */
export function outermost(steps, step) {
  return step && steps[treeOf(steps).outer[step.id] ?? step.id];
}

/**
 * The lines of code of a step. An operator, for example, has the lines of the statement around it.
 * @param {readonly Step[]} steps
 * @param {Step | undefined} step
 * @returns {Span | undefined}
 */
export function spanOf(steps, step) {
  return step && steps[treeOf(steps).spanned[step.id] ?? -1]?.span;
}

/**
 * The first line of a step in the run's own source; 0 if the step has no line there.
 * @param {readonly Step[]} steps
 * @param {number | null | undefined} id
 */
export function lineOfStep(steps, id) {
  const span = spanOf(steps, steps[id ?? -1]);
  return span?.file == null ? (span?.line ?? 0) : 0;
}
