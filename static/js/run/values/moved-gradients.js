/**
 * Owns the backward formulas of Nodes that only move elements, such as Select or Cat: each element of the
 * gradient that they send is an element of a gradient that they received, or 0. Pure.
 */

import { elementAt, made } from "./small-tensor.js";
import { axisOf, number, way } from "./ways.js";

/** @import {Given, Way} from "./ways.js" */

/**
 * @param {number[]} index
 * @param {number} axis
 * @param {number[]} instead
 */
const replaced = (index, axis, ...instead) => [...index.slice(0, axis), ...instead, ...index.slice(axis + 1)];

const SELECTED = way("grad at index of dim, else 0", ({ grad, shape, scalars }) => {
  const axis = axisOf(scalars, shape.length);
  const [size, chosen] = [shape[axis] ?? Number.NaN, number(scalars, "index")];
  const place = chosen < 0 ? chosen + size : chosen;
  return made(shape, (index) => (index[axis] === place ? elementAt(grad, replaced(index, axis)) : 0));
});

const SLICED = way("grad at start:end:step of dim, else 0", ({ grad, shape, scalars }) => {
  const axis = axisOf(scalars, shape.length);
  const size = shape[axis] ?? Number.NaN;
  const [start, step] = [number(scalars, "start") || 0, number(scalars, "step")];
  const first = start < 0 ? start + size : start;
  return made(shape, (index) => {
    const place = ((index[axis] ?? Number.NaN) - first) / step;
    const isThere = Number.isInteger(place) && place >= 0 && place < (grad.shape[axis] ?? 0);
    return isThere ? elementAt(grad, replaced(index, axis, place)) : 0;
  });
});

const PERMUTED = way("grad, permuted back from dims", ({ grad, shape, scalars: { dims } }) =>
  Array.isArray(dims)
    ? made(shape, (index) =>
        elementAt(
          grad,
          dims.map((axis) => index[axis < 0 ? axis + shape.length : axis] ?? Number.NaN),
        ),
      )
    : null,
);

/** The gradient that Stack sends to one of the stacked tensors. */
const STACKED = way("grad at the place of this input in dim", ({ grad, edge, shape, scalars }) => {
  const axis = axisOf(scalars, grad.shape.length);
  return made(shape, (index) => elementAt(grad, [...index.slice(0, axis), edge, ...index.slice(axis)]));
});

/**
 * The gradient that Cat sends to one of the concatenated tensors. The sizes of the other tensors are not
 * recorded, so only the gradients of the first and the last tensor can be computed.
 * @param {(whole: number, own: number) => number} startOf
 */
const joined = (startOf) =>
  way("grad at the place of this input in dim", ({ grad, shape, scalars }) => {
    const axis = axisOf(scalars, shape.length);
    const start = startOf(grad.shape[axis] ?? Number.NaN, shape[axis] ?? Number.NaN);
    return made(shape, (index) =>
      elementAt(grad, replaced(index, axis, (index[axis] ?? Number.NaN) + start)),
    );
  });
const CATENATED = [joined(() => 0), joined((whole, part) => whole - part)];

/**
 * The gradient that Split sends: the gradients of its outputs, concatenated. An output without a gradient
 * counts as zeros.
 */
const SPLIT = way("the gradients of the outputs, joined in dim, else 0", ({ outputs, shape, scalars }) => {
  const axis = axisOf(scalars, shape.length);
  const size = number(scalars, "split_size");
  return made(shape, (index) => {
    const at = index[axis] ?? Number.NaN;
    const output = outputs.get(Math.floor(at / size));
    return output === undefined ? 0 : elementAt(output, replaced(index, axis, at % size));
  });
});
const UNBOUND = way("the gradients of the outputs, stacked in dim, else 0", ({ outputs, shape, scalars }) => {
  const axis = axisOf(scalars, shape.length);
  return made(shape, (index) => {
    const output = outputs.get(index[axis] ?? Number.NaN);
    return output === undefined ? 0 : elementAt(output, replaced(index, axis));
  });
});

/**
 * For each kind of Node, by its name without "Backward0": the possible formulas of the gradient that it
 * sends along any edge.
 * @type {Readonly<Record<string, readonly Way[]>>}
 */
export const MOVED = {
  Select: [SELECTED],
  Slice: [SLICED],
  Permute: [PERMUTED],
  Stack: [STACKED],
  Cat: CATENATED,
  Split: [SPLIT],
  UnsafeSplit: [SPLIT],
  Unbind: [UNBOUND],
};
