/**
 * Owns the backward formulas of torch's Nodes, and computes them from the received gradient and the saved
 * values of a Node. Pure.
 *
 * The names in the formulas come from torch's tools/autograd/derivatives.yaml. A formula is shown only if
 * its value equals the recorded gradient. Older recordings lack the scalars of Nodes, so formulas with
 * scalars do not apply to them.
 */

import {
  both,
  each,
  exchanged,
  full,
  product,
  sizeOf,
  summed,
  summedTo,
  transposed,
} from "./small-tensor.js";
import { MOVED } from "./moved-gradients.js";
import { axisOf, number, way } from "./ways.js";

/** @import {Given, Result, Scalars, Way} from "./ways.js" */
/** @import {Small} from "./small-tensor.js" */

const times = (/** @type {Result} */ one, /** @type {Result} */ other) =>
  one && other ? both(one, other, (a, b) => a * b) : null;
const over = (/** @type {Result} */ one, /** @type {Result} */ other) =>
  one && other ? both(one, other, (a, b) => a / b) : null;
const minus = (/** @type {Result} */ one, /** @type {Result} */ other) =>
  one && other ? both(one, other, (a, b) => a - b) : null;
const of = (/** @type {Result} */ tensor, /** @type {(value: number) => number} */ apply) =>
  tensor && each(tensor, apply);
const matmul = (/** @type {Result} */ one, /** @type {Result} */ other) =>
  one && other ? product(one, other) : null;
const turned = (/** @type {Result} */ tensor) => tensor && transposed(tensor);
/**
 * The elements of `grad` where a mask is not 0, and 0 elsewhere. Multiplying by the mask would give NaN for
 * an infinite element.
 */
const kept = (/** @type {Small} */ grad, /** @type {Result} */ mask) =>
  mask && both(grad, mask, (value, isKept) => (isKept ? value : 0));
const column = (/** @type {Result} */ tensor) =>
  tensor && { shape: [sizeOf(tensor.shape), 1], values: tensor.values };
const line = (/** @type {Result} */ tensor) =>
  tensor && { shape: [1, sizeOf(tensor.shape)], values: tensor.values };

const reshaped = (/** @type {Result} */ tensor, /** @type {number[]} */ shape) =>
  tensor && sizeOf(shape) === tensor.values.length ? { shape, values: tensor.values } : null;

const reduced = (/** @type {Result} */ tensor, /** @type {number[]} */ shape) =>
  tensor && summedTo(tensor, shape);

/** The gradient itself, summed over the axes along which the input was broadcast. */
const SAME = way("grad", ({ grad, shape }) => summedTo(grad, shape));
/** The gradient reshaped to the shape of the input. */
const RESHAPED = way("grad", ({ grad, shape }) => ({ shape, values: grad.values }));
const NEGATED = way("−grad", ({ grad, shape }) =>
  reduced(
    each(grad, (value) => -value),
    shape,
  ),
);
/** Each element of the input gets the gradient of the sum over all elements. */
const EXPANDED = way("grad", ({ grad, shape }) => times(grad, full(shape, 1)));

/**
 * A formula that multiplies `grad` by a function of one saved tensor, element by element.
 * @param {string} formula
 * @param {string} slot
 * @param {(value: number) => number} derivative
 */
const elementwise = (formula, slot, derivative) => [
  [way(formula, ({ grad, shape, saved }) => reduced(times(grad, of(saved[slot], derivative)), shape))],
];

/**
 * `grad` times a scalar that the Node saved; null if the Node saved no such scalar.
 * @param {Given} given
 * @param {number} factor
 */
const scaled = ({ grad, shape }, factor) =>
  Number.isNaN(factor)
    ? null
    : reduced(
        each(grad, (value) => value * factor),
        shape,
      );
const ALPHA = way("alpha · grad", (given) => scaled(given, number(given.scalars, "alpha")));
const MINUS_ALPHA = way("−alpha · grad", (given) => scaled(given, -number(given.scalars, "alpha")));
/** Each element of the input gets the gradient of the sum over `dim` to which it contributed. */
const EXPANDED_IN = way("grad, expanded in dim", (given) => unsqueezed(given));
const turnedBack = (/** @type {Given} */ { grad, shape, scalars }) =>
  exchanged(grad, axisOf(scalars, shape.length, "dim0"), axisOf(scalars, shape.length, "dim1"));

const sumAlong = (/** @type {Result} */ tensor, /** @type {number} */ axis) =>
  tensor && axis >= 0 && axis < tensor.shape.length ? summed(tensor, axis) : null;

/**
 * For each kind of Node, by its name without "Backward0": the possible formulas of the gradient that it
 * sends, for each of its inputs.
 * @type {Readonly<Record<string, readonly (readonly Way[])[]>>}
 */
const TABLE = {
  Add: [[SAME], [SAME, ALPHA]],
  Sub: [[SAME], [NEGATED, MINUS_ALPHA]],
  Rsub: [[NEGATED, MINUS_ALPHA]],
  Neg: [[NEGATED]],
  Clone: [[SAME]],
  ToCopy: [[SAME]],
  Alias: [[SAME]],
  Dropout: [[SAME]],
  Expand: [[SAME]],
  Sum: [[EXPANDED_IN, EXPANDED]],
  Mean: [
    [
      way("grad / n, expanded in dim", (given) =>
        of(unsqueezed(given), (value) => (value * sizeOf(given.grad.shape)) / sizeOf(given.shape)),
      ),
      way("grad / n", ({ grad, shape }) =>
        times(
          of(grad, (value) => (value * sizeOf(grad.shape)) / sizeOf(shape)),
          full(shape, 1),
        ),
      ),
    ],
  ],
  Mul: [
    [way("grad · other", ({ grad, shape, saved }) => reduced(times(grad, saved.other), shape))],
    [way("grad · self", ({ grad, shape, saved }) => reduced(times(grad, saved.self), shape))],
  ],
  Div: [
    [way("grad / other", ({ grad, shape, saved }) => reduced(over(grad, saved.other), shape))],
    [
      way("−grad · self / other²", ({ grad, shape, saved }) =>
        reduced(
          times(
            of(grad, (value) => -value),
            over(saved.self, times(saved.other, saved.other)),
          ),
          shape,
        ),
      ),
    ],
  ],
  Pow: [
    [
      way("grad · exponent · self^(exponent − 1)", ({ grad, shape, saved, scalars }) => {
        const exponent = number(scalars, "exponent");
        return reduced(
          times(
            grad,
            of(saved.self, (value) => exponent * value ** (exponent - 1)),
          ),
          shape,
        );
      }),
    ],
  ],
  Exp: elementwise("grad · result", "result", (value) => value),
  Exp2: elementwise("grad · result · ln 2", "result", (value) => value * Math.LN2),
  Log: elementwise("grad / self", "self", (value) => 1 / value),
  Log1P: elementwise("grad / (self + 1)", "self", (value) => 1 / (value + 1)),
  Log10: elementwise("grad / (self · ln 10)", "self", (value) => 1 / (value * Math.LN10)),
  Expm1: elementwise("grad · (result + 1)", "result", (value) => value + 1),
  Log2: elementwise("grad / (self · ln 2)", "self", (value) => 1 / (value * Math.LN2)),
  Sqrt: elementwise("grad / (2 · result)", "result", (value) => 1 / (2 * value)),
  Rsqrt: elementwise("−0.5 · grad · result³", "result", (value) => -0.5 * value ** 3),
  Reciprocal: elementwise("−grad · result²", "result", (value) => -value * value),
  Sigmoid: elementwise("grad · result · (1 − result)", "result", (value) => value * (1 - value)),
  Tanh: elementwise("grad · (1 − result²)", "result", (value) => 1 - value * value),
  Relu: [
    [
      way("grad where result > 0, else 0", ({ grad, saved }) =>
        kept(
          grad,
          of(saved.result, (value) => Number(!(value <= 0))),
        ),
      ),
    ],
  ],
  LeakyRelu: [
    [
      way("grad where self > 0, else negative_slope · grad", ({ grad, saved, scalars }) =>
        times(
          grad,
          of(saved.self, (value) => (value > 0 ? 1 : number(scalars, "negative_slope"))),
        ),
      ),
    ],
  ],
  Clamp: [
    [
      way("grad where min ≤ self ≤ max, else 0", ({ grad, saved, scalars: { min, max } }) =>
        kept(
          grad,
          of(saved.self, (value) =>
            Number(value >= Number(min ?? -Infinity) && value <= Number(max ?? Infinity)),
          ),
        ),
      ),
    ],
  ],
  Sin: elementwise("grad · cos(self)", "self", Math.cos),
  Cos: elementwise("−grad · sin(self)", "self", (value) => -Math.sin(value)),
  Abs: elementwise("grad · sign(self)", "self", Math.sign),
  Softplus: elementwise("grad · sigmoid(self)", "self", (value) => 1 / (1 + Math.exp(-value))),
  Silu: elementwise("grad · s · (1 + self · (1 − s)), s = sigmoid(self)", "self", (value) => {
    const s = 1 / (1 + Math.exp(-value));
    return s * (1 + value * (1 - s));
  }),
  Mm: [
    [way("grad @ mat2ᵀ", ({ grad, saved }) => matmul(grad, turned(saved.mat2)))],
    [way("selfᵀ @ grad", ({ grad, saved }) => matmul(turned(saved.self), grad))],
  ],
  Bmm: [
    [way("grad @ mat2ᵀ", ({ grad, saved }) => matmul(grad, turned(saved.mat2)))],
    [way("selfᵀ @ grad", ({ grad, saved }) => matmul(turned(saved.self), grad))],
  ],
  Mv: [
    [way("grad ⊗ vec", ({ grad, saved }) => matmul(column(grad), line(saved.vec)))],
    [
      way("selfᵀ @ grad", ({ grad, shape, saved }) =>
        reshaped(matmul(turned(saved.self), column(grad)), shape),
      ),
    ],
  ],
  Dot: [
    [way("grad · tensor", ({ grad, saved }) => times(grad, saved.tensor))],
    [way("grad · self", ({ grad, saved }) => times(grad, saved.self))],
  ],
  Addmm: [
    [SAME],
    [way("grad @ mat2ᵀ", ({ grad, saved }) => matmul(grad, turned(saved.mat2)))],
    [way("mat1ᵀ @ grad", ({ grad, saved }) => matmul(turned(saved.mat1), grad))],
  ],
  T: [[way("gradᵀ", ({ grad }) => turned(grad))]],
  Transpose: [[way("grad.transpose(dim0, dim1)", turnedBack)]],
  View: [[RESHAPED]],
  UnsafeView: [[RESHAPED]],
  ReshapeAlias: [[RESHAPED]],
  Unsqueeze: [[RESHAPED]],
  Squeeze: [[RESHAPED]],
  CopyBackwards: [[], [SAME]],
  Where: [
    [
      way("grad where condition, else 0", ({ grad, shape, saved }) =>
        reduced(kept(grad, saved.condition), shape),
      ),
    ],
    [
      way("0 where condition, else grad", ({ grad, shape, saved }) =>
        reduced(
          kept(
            grad,
            of(saved.condition, (value) => 1 - value),
          ),
          shape,
        ),
      ),
    ],
  ],
  MaskedFill: [
    [
      way("0 where mask, else grad", ({ grad, saved }) =>
        kept(
          grad,
          of(saved.mask, (value) => 1 - value),
        ),
      ),
    ],
  ],
  MseLoss: [
    [
      way("grad · 2 · (self − target) / n", ({ grad, shape, saved }) =>
        times(
          grad,
          of(minus(saved.self, saved.target), (value) => (2 * value) / sizeOf(shape)),
        ),
      ),
      way("grad · 2 · (self − target)", ({ grad, saved }) =>
        times(
          grad,
          of(minus(saved.self, saved.target), (value) => 2 * value),
        ),
      ),
    ],
  ],
  NllLoss: [
    [
      way("−grad / total_weight at target, else 0", (given) => atTarget(given, given.saved.total_weight)),
      way("−grad at target, else 0", (given) => atTarget(given, full([], 1))),
    ],
  ],
  BinaryCrossEntropyWithLogits: [
    [
      way("grad · (sigmoid(self) − target) / n", (given) => ofLogits(given, sizeOf(given.shape))),
      way("grad · (sigmoid(self) − target)", (given) => ofLogits(given, 1)),
    ],
  ],
  Gelu: [
    [
      way("grad · (Φ(self) + self · φ(self))", ({ grad, saved }) =>
        times(
          grad,
          of(saved.self, (x) => normal(x) + (x * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI)),
        ),
      ),
    ],
  ],
  Prod: [[way("grad · result / self", ({ grad, saved }) => over(times(grad, saved.result), saved.self))]],
  NativeLayerNorm: [
    [
      way(
        "(g − mean(g) − x̂ · mean(g · x̂)) · result2, g = grad · weight, x̂ = (input − result1) · result2",
        (given) => normed(given, times(given.grad, given.saved.weight)),
      ),
      way("(grad − mean(grad) − x̂ · mean(grad · x̂)) · result2, x̂ = (input − result1) · result2", (given) =>
        normed(given, given.grad),
      ),
    ],
    [
      way("Σ grad · (input − result1) · result2", (given) =>
        reduced(times(given.grad, standard(given)), given.shape),
      ),
    ],
    [way("Σ grad", ({ grad, shape }) => summedTo(grad, shape))],
  ],
  LogSoftmax: [
    [
      way("grad − exp(result) · Σ(grad, dim)", (given) =>
        minus(
          given.grad,
          times(
            of(given.saved.result, Math.exp),
            sumAlong(given.grad, axisOf(given.scalars, given.shape.length)),
          ),
        ),
      ),
    ],
  ],
  Softmax: [
    [
      way("result · (grad − Σ(grad · result, dim))", (given) => {
        const { grad, saved } = given;
        return times(
          saved.result,
          minus(grad, sumAlong(times(grad, saved.result), axisOf(given.scalars, given.shape.length))),
        );
      }),
    ],
  ],
};

/**
 * The gradient of a negative log likelihood: in each row, −grad / divisor at the target class, and 0 at the
 * other classes.
 * @param {Given} given
 * @param {Result} divisor
 */
function atTarget({ grad, shape, saved: { target } }, divisor) {
  if (!target || !divisor || shape.length > 2) return null;
  const classes = shape.at(-1) ?? 0;
  const result = full(shape, 0);
  for (const [row, place] of target.values.entries())
    if (place >= 0 && place < classes)
      result.values[row * classes + place] =
        -(grad.values[grad.shape.length === 0 ? 0 : row] ?? Number.NaN) / (divisor.values[0] ?? Number.NaN);
  return result;
}

/**
 * The gradient of a binary cross entropy with logits, `grad · (sigmoid(self) − target) / divisor`.
 * @param {Given} given
 * @param {number} divisor
 */
function ofLogits({ grad, saved }, divisor) {
  const error = minus(
    of(saved.self, (value) => 1 / (1 + Math.exp(-value))),
    saved.target,
  );
  return times(
    grad,
    of(error, (value) => value / divisor),
  );
}

/**
 * The cumulative distribution function of the normal distribution (Abramowitz and Stegun, 7.1.26).
 * @param {number} value
 */
function normal(value) {
  const x = Math.abs(value) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const terms = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
  const above = (terms.reduce((sum, term) => (sum + term) * t, 0) * Math.exp(-x * x)) / 2;
  return value < 0 ? above : 1 - above;
}

/**
 * The normalized input of a layer norm, before weight and bias.
 * @param {Given} given
 */
const standard = ({ saved }) => times(minus(saved.input, saved.result1), saved.result2);

/**
 * The gradient of a layer norm's input, from the gradient of its normalized input.
 * @param {Given} given
 * @param {Result} g
 */
function normed(given, g) {
  const { result1, result2 } = given.saved;
  if (!g || !result1) return null;
  const x = standard(given);
  const mean = (/** @type {Result} */ tensor) =>
    of(reduced(tensor, result1.shape), (sum) => (sum * result1.values.length) / g.values.length);
  return times(minus(minus(g, mean(g)), times(x, mean(times(g, x)))), result2);
}

/**
 * The gradient of a reduction: expanded along the reduced axes to the shape of the reduction's input.
 * @param {Given} given
 */
function unsqueezed({ grad, shape, scalars: { dim } }) {
  if (!Array.isArray(dim) || dim.length === 0) return null;
  const removed = new Set(dim.map((axis) => (axis < 0 ? shape.length + axis : axis)));
  const kept = shape.map((size, place) => (removed.has(place) ? 1 : size));
  return sizeOf(kept) === sizeOf(grad.shape)
    ? times({ shape: kept, values: grad.values }, full(shape, 1))
    : null;
}

/**
 * The possible formulas of the gradient that a Node sends along an edge; empty for a Node that is not in the
 * table.
 * @param {string} node as torch names it
 * @param {number} edge
 * @returns {readonly Way[]}
 */
export function waysOf(node, edge) {
  const name = node.replace(/^torch::autograd::/, "").replace(/Backward\d*(_\w+)?$/, "");
  return TABLE[name]?.[edge] ?? MOVED[name] ?? [];
}
