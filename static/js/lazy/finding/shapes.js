/**
 * Aligns the two shapes of a finding about shapes as rows, such that corresponding dimensions are in one
 * column, and marks the dimensions that do not match. Pure.
 */

/** @import {Finding} from "../../run/trace.d.ts" */
/** @import {Sentence} from "../../run/types.d.ts" */

/** @typedef {{size: number | null, differs: boolean}} Cell `size`: null: any size is valid */
/** @typedef {{name: string | Sentence, cells: (Cell | null)[]}} Row null: there is no such dimension */
/** @typedef {Record<string, string | number>} Arguments */
/** @typedef {(number | null)[]} Shape null: any size is valid */
/**
 * @typedef {(left: Shape, right: Shape, args: Arguments) => [Set<number>, Set<number>]} Marks the positions
 *   of the mismatches in each shape
 */

/** The rules of loss errors that are about the dtype or the values of the target, and not about its shape. */
const OF_DTYPES = ["dtype", "probabilities"];
/** Shapes with more dimensions than this are not drawn. */
const MOST_DIMENSIONS = 10;

/**
 * How the rows are built for each kind of finding. `second` returns the second shape, which by default is
 * the argument `right_shape`. `fromStart`: the shapes are aligned at their first dimension, not at their
 * last. `marks` returns the dimensions to mark in both shapes, counted from the aligned end.
 * @type {Record<string, {second?: (args: Arguments) => Shape | null, fromStart?: boolean, marks: Marks}>}
 */
const KINDS = {
  matmul_mismatch: {
    marks: (_left, _right, { left_at, right_at }) => [fromEnd(left_at), fromEnd(right_at)],
  },
  broadcast_mismatch: {
    marks: (left, right, { rule, result }) =>
      rule === "in_place"
        ? unequal(left, parsed(result)?.reverse() ?? left)
        : unequal(left, right, (one, other) => isLarger(one) && isLarger(other)),
  },
  loss_broadcast: { marks: (left, right) => unequal(left, right) },
  loss_target: {
    fromStart: true,
    second: ({ rule, right_shape }) => (OF_DTYPES.includes(String(rule)) ? null : parsed(right_shape)),
    marks: (left, right, { rule }) =>
      rule === "equal"
        ? unequal(left, right)
        : rule === "batch"
          ? [new Set([0]), new Set([0])]
          : [new Set(), beyond(right, left.length - 1)],
  },
  join_mismatch: {
    fromStart: true,
    marks: (left, right, { rule, dimension }) => {
      if (left.length !== right.length) return [beyond(left, right.length), beyond(right, left.length)];
      const joined = rule === "size" ? Number(dimension) : NaN;
      return unequal(left, right, (_one, _other, at) => at !== joined && at !== joined + left.length);
    },
  },
  reshape_mismatch: {
    second: ({ wanted }) => parsed(wanted),
    marks: (left, right, { rule }) =>
      rule === "expand" || rule === "fewer"
        ? unequal(left, right, (one, other) => other !== -1 && one !== 1 && one !== undefined)
        : [new Set(), new Set()],
  },
  hidden_state: { second: ({ wanted }) => parsed(wanted), marks: (left, right) => unequal(left, right) },
  einsum_mismatch: {
    fromStart: true,
    second: ({ rule, right_shape }) => (rule === "count" ? null : parsed(right_shape)),
    marks: (_left, _right, { left_at, right_at }) => [
      new Set([Number(left_at)]),
      new Set([Number(right_at)]),
    ],
  },
  attention_mismatch: { marks: (_left, _right, { at }) => [fromEnd(at), fromEnd(at)] },
  gather_mismatch: {
    fromStart: true,
    marks: (left, right, { rule, at }) =>
      rule === "count"
        ? [beyond(left, right.length), beyond(right, left.length)]
        : [new Set([Number(at)]), new Set([Number(at)])],
  },
  layer_input: { second: taken, marks: (left, right) => unequal(left, right) },
};

/**
 * The two shapes of a finding as aligned rows; empty if the finding is not about shapes, or if a shape has
 * too many dimensions.
 * @param {Finding} finding
 * @returns {Row[]}
 */
export function shapeRows({ kind, arguments: args = {} }) {
  const how = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  const left = parsed(args.left_shape);
  const right = how?.second === undefined ? parsed(args.right_shape) : how.second(args);
  if (how === undefined || left === null || right === null) return [];
  const columns = Math.max(left.length, right.length);
  if (columns === 0 || columns > MOST_DIMENSIONS) return [];
  const ordered = (/** @type {Shape} */ shape) => (how.fromStart ? shape : [...shape].reverse());
  const [first, second] = how.marks(ordered(left), ordered(right), args);
  const cells = (/** @type {Shape} */ shape, /** @type {Set<number>} */ marked) => {
    const row = Array.from({ length: columns }, (_, at) => cellAt(ordered(shape), marked, at));
    return how.fromStart ? row : row.reverse();
  };
  return [
    { name: `\`${args.left}\``, cells: cells(left, first) },
    { name: nameOfSecond(kind, args), cells: cells(right, second) },
  ];
}

/**
 * @param {Shape} shape
 * @param {Set<number>} marked
 * @param {number} at
 */
function cellAt(shape, marked, at) {
  return at < shape.length ? { size: shape[at] ?? null, differs: marked.has(at) } : null;
}

/**
 * @param {string} kind
 * @param {Arguments} args
 * @returns {string | Sentence}
 */
function nameOfSecond(kind, args) {
  if (kind === "reshape_mismatch") return { id: "shapes-wanted", args: {} };
  if (kind === "layer_input" || kind === "hidden_state")
    return { id: "shapes-taken", args: { module: args.module ?? "" } };
  return `\`${args.right}\``;
}

/**
 * The sizes in a text such as `(2, 3)`; null: the text is not a complete shape.
 * @param {string | number | undefined} text
 * @returns {Shape | null}
 */
function parsed(text) {
  const [, inner] = /^\(((?:-?\d+(?:, ?|(?=\))))*)\)$/.exec(String(text)) ?? [];
  return inner === undefined ? null : (inner.match(/-?\d+/g) ?? []).map(Number);
}

/**
 * The shape that a layer accepts: a shape with the right number of dimensions, or with the right size of one
 * dimension. Null: unknown.
 * @param {Arguments} args
 * @returns {Shape | null}
 */
function taken({ rule, at, wanted, left_shape }) {
  const given = parsed(left_shape);
  if (given === null) return null;
  if (rule !== "size") return Array.from({ length: Number(wanted) }, () => null);
  const place = Number(at) < 0 ? given.length + Number(at) : Number(at);
  return given.map((_, each) => (each === place ? Number(wanted) : null));
}

/**
 * The positions at which two shapes differ, including dimensions that only one shape has.
 * @param {Shape} left
 * @param {Shape} right
 * @param {(one: number | undefined, other: number | undefined, at: number) => boolean} [counts] whether
 *   different sizes are a mismatch
 * @returns {[Set<number>, Set<number>]}
 */
function unequal(left, right, counts = () => true) {
  const length = Math.max(left.length, right.length);
  const places = Array.from({ length }, (_, at) => at).filter((at) => {
    const [one, other] = [left[at], right[at]];
    if (one === null || other === null) return one === undefined || other === undefined;
    return one !== other && counts(one, other, at);
  });
  return [new Set(places), new Set(places)];
}

/** @param {number | undefined} size of one dimension; an operand without it, or with size 1, is broadcast */
function isLarger(size) {
  return size !== undefined && size !== 1;
}

/**
 * The positions of a shape from `at` to its end.
 * @param {Shape} shape
 * @param {number} at
 */
function beyond(shape, at) {
  return new Set(Array.from(shape, (_, each) => each).filter((each) => each >= at));
}

/**
 * Converts a negative index of a dimension into its position counted from the end, from 0; empty for any
 * other index.
 * @param {string | number | undefined} at
 */
function fromEnd(at) {
  return new Set(Number(at) < 0 ? [-1 - Number(at)] : []);
}
