/**
 * Owns the type of a backward formula, and the functions by which a formula reads the scalars that its Node
 * saved. Pure.
 */

/** @import {Node} from "../trace.d.ts" */
/** @import {Small} from "./small-tensor.js" */

/** @typedef {NonNullable<Node["scalars"]>} Scalars */
/**
 * What a backward formula computes with. `grad`: the sum of the gradients that the Node received. `outputs`:
 * the gradients by output number, for Nodes with several outputs. `shape`: the shape of the gradient sent
 * along `edge`. `saved`: the saved tensors by their names in the Node, such as `self`.
 * @typedef {object} Given
 * @property {Small} grad
 * @property {Map<number, Small>} outputs
 * @property {number} edge
 * @property {number[]} shape
 * @property {Record<string, Small>} saved
 * @property {Scalars} scalars
 */
/** @typedef {Small | null | undefined} Result null or undefined: an operand is missing or does not fit */
/**
 * @typedef {object} Way a way to compute a gradient
 * @property {string} formula with the names of its operands
 * @property {(given: Given) => Result} of
 */

/**
 * @param {string} formula
 * @param {(given: Given) => Result} of
 * @returns {Way}
 */
export const way = (formula, of) => ({ formula, of });

/**
 * A scalar that the Node saved; NaN if the Node saved no scalar with this name.
 * @param {Scalars} scalars
 * @param {string} name
 */
export const number = (scalars, name) => (typeof scalars[name] === "number" ? scalars[name] : Number.NaN);

/**
 * The axis that the Node saved, as a non-negative number; -1 if it saved none.
 * @param {Scalars} scalars
 * @param {number} rank of the tensor with this axis
 * @param {string} [name]
 */
export function axisOf(scalars, rank, name = "dim") {
  const axis = number(scalars, name);
  return axis < 0 ? rank + axis : Number.isNaN(axis) ? -1 : axis;
}
