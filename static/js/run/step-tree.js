/** Owns the way up the tree of steps: from a step to the Node, statement and calls around it. Pure. */

/** @import {Span, Step} from "./trace.d.ts" */

/**
 * The step in which a step ran.
 * @param {readonly Step[]} steps
 * @param {Step} step
 */
export function parentOf(steps, { parent }) {
  return parent === undefined ? undefined : steps[parent];
}

/**
 * Of a step and the steps around it, the innermost that is wanted.
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
 * The outermost step around a step, itself included: the statement of the module's frame.
 * @param {readonly Step[]} steps
 * @param {Step | undefined} step
 */
export function outermost(steps, step) {
  return ancestor(steps, step, ({ parent }) => parent === undefined);
}

/**
 * The lines of a step, or of the innermost step around it that has any.
 * @param {readonly Step[]} steps
 * @param {Step | undefined} step
 * @returns {Span | undefined}
 */
export function spanOf(steps, step) {
  return ancestor(steps, step, ({ span }) => span !== undefined)?.span;
}

/**
 * The first line of a step; 0: none.
 * @param {readonly Step[]} steps
 * @param {number | null | undefined} id
 */
export function lineOfStep(steps, id) {
  return spanOf(steps, steps[id ?? -1])?.line ?? 0;
}
