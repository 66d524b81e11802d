/**
 * Owns tensors of JavaScript numbers with the operations that backward formulas need. A tensor has a shape
 * and its elements in row-major order. Pure.
 */

/** @typedef {{shape: number[], values: number[]}} Small */

/** @param {number[]} shape */
export const sizeOf = (shape) => shape.reduce((product, size) => product * size, 1);

/**
 * @param {number[]} shape
 * @param {number} value
 * @returns {Small}
 */
export function full(shape, value) {
  return { shape, values: Array(sizeOf(shape)).fill(value) };
}

/**
 * @param {Small} tensor
 * @param {(value: number) => number} of
 * @returns {Small}
 */
export function each({ shape, values }, of) {
  return { shape, values: values.map(of) };
}

/**
 * Applies a function to two tensors element by element, with broadcasting as in torch; null if the shapes do
 * not broadcast.
 * @param {Small} one
 * @param {Small} other
 * @param {(one: number, other: number) => number} of
 * @returns {Small | null}
 */
export function both(one, other, of) {
  const rank = Math.max(one.shape.length, other.shape.length);
  const shape = [];
  for (let at = 1; at <= rank; at += 1) {
    const [a, b] = [one.shape.at(-at) ?? 1, other.shape.at(-at) ?? 1];
    if (a !== b && a !== 1 && b !== 1) return null;
    shape.unshift(a === 1 ? b : a);
  }
  const [a, b] = [broadcast(one, shape), broadcast(other, shape)];
  return { shape, values: a.map((value, place) => of(value, b[place] ?? Number.NaN)) };
}

/**
 * The elements of a tensor after broadcasting it to a shape.
 * @param {Small} tensor
 * @param {number[]} shape
 */
function broadcast(tensor, shape) {
  const missing = shape.length - tensor.shape.length;
  return Array.from({ length: sizeOf(shape) }, (_, place) => {
    let [rest, from, factor] = [place, 0, 1];
    for (let axis = shape.length - 1; axis >= missing; axis -= 1) {
      const size = shape[axis] ?? 1;
      const stored = tensor.shape[axis - missing] ?? 1;
      if (stored !== 1) from += (rest % size) * factor;
      factor *= stored;
      rest = Math.floor(rest / size);
    }
    return tensor.values[from] ?? Number.NaN;
  });
}

/**
 * Sums a tensor to a shape that broadcasts to the tensor's shape, as `sum_to_size` does; null if the shape
 * does not broadcast to it.
 * @param {Small} tensor
 * @param {number[]} shape
 * @returns {Small | null}
 */
export function summedTo(tensor, shape) {
  const missing = tensor.shape.length - shape.length;
  if (missing < 0 || shape.some((size, axis) => size !== 1 && size !== tensor.shape[axis + missing]))
    return null;
  const places = broadcast(
    { shape, values: Array.from({ length: sizeOf(shape) }, (_, place) => place) },
    tensor.shape,
  );
  const values = Array(sizeOf(shape)).fill(0);
  for (const [from, to] of places.entries()) values[to] += tensor.values[from] ?? Number.NaN;
  return { shape, values };
}

/**
 * The tensor with its last two axes exchanged.
 * @param {Small} tensor
 * @returns {Small}
 */
export function transposed({ shape, values }) {
  const [rows, columns] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
  const matrices = values.length / Math.max(1, rows * columns);
  const turned = [];
  for (let matrix = 0; matrix < matrices; matrix += 1)
    for (let column = 0; column < columns; column += 1)
      for (let row = 0; row < rows; row += 1)
        turned.push(values[matrix * rows * columns + row * columns + column] ?? Number.NaN);
  return { shape: [...shape.slice(0, -2), columns, rows], values: turned };
}

/**
 * The tensor with two axes exchanged; null if the tensor does not have both axes.
 * @param {Small} tensor
 * @param {number} one
 * @param {number} other
 * @returns {Small | null}
 */
export function exchanged({ shape, values }, one, other) {
  const [a, b] = [shape[one], shape[other]];
  if (a === undefined || b === undefined) return null;
  const strides = shape.map((_, axis) => sizeOf(shape.slice(axis + 1)));
  const turn = (/** @type {number[]} */ each) =>
    each.map((value, axis) => (axis === one ? each[other] : axis === other ? each[one] : value) ?? 0);
  const turned = turn(shape);
  const steps = turn(strides);
  const read = Array.from({ length: values.length }, (_, place) => {
    let [rest, from] = [place, 0];
    for (let axis = turned.length - 1; axis >= 0; axis -= 1) {
      from += (rest % (turned[axis] ?? 1)) * (steps[axis] ?? 0);
      rest = Math.floor(rest / (turned[axis] ?? 1));
    }
    return values[from] ?? Number.NaN;
  });
  return { shape: turned, values: read };
}

/**
 * The product of two matrices, or of two batches with the same number of matrices; null if the shapes do not
 * match.
 * @param {Small} one
 * @param {Small} other
 * @returns {Small | null}
 */
export function product(one, other) {
  const [rows, inner, columns] = [one.shape.at(-2), one.shape.at(-1), other.shape.at(-1)];
  const batch = one.shape.slice(0, -2);
  if (rows === undefined || inner === undefined || columns === undefined) return null;
  if (inner !== other.shape.at(-2) || `${batch}` !== `${other.shape.slice(0, -2)}`) return null;
  const values = [];
  for (let matrix = 0; matrix < sizeOf(batch); matrix += 1)
    for (let row = 0; row < rows; row += 1)
      for (let column = 0; column < columns; column += 1) {
        let sum = 0;
        for (let k = 0; k < inner; k += 1)
          sum +=
            (one.values[(matrix * rows + row) * inner + k] ?? Number.NaN) *
            (other.values[(matrix * inner + k) * columns + column] ?? Number.NaN);
        values.push(sum);
      }
  return { shape: [...batch, rows, columns], values };
}

/**
 * Sums a tensor along an axis, which keeps size 1.
 * @param {Small} tensor
 * @param {number} axis
 * @returns {Small | null}
 */
export function summed(tensor, axis) {
  return summedTo(
    tensor,
    tensor.shape.map((size, at) => (at === axis ? 1 : size)),
  );
}

/**
 * Whether two tensors are equal up to a relative tolerance. NaN equals NaN.
 * @param {Small} one
 * @param {Small} other
 * @param {number} tolerance relative
 */
export function isClose(one, other, tolerance) {
  if (`${one.shape}` !== `${other.shape}`) return false;
  const largest = Math.max(0, ...other.values.filter(Number.isFinite).map(Math.abs));
  return one.values.every((value, place) => {
    const expected = other.values[place] ?? 0;
    if (!Number.isFinite(value) || !Number.isFinite(expected)) return Object.is(value, expected);
    return Math.abs(value - expected) <= tolerance * Math.max(largest, Math.abs(expected), 1e-30);
  });
}

/**
 * Makes a tensor from a function that computes the element at each index.
 * @param {number[]} shape
 * @param {(index: number[]) => number} of
 * @returns {Small}
 */
export function made(shape, of) {
  const strides = shape.map((_, axis) => sizeOf(shape.slice(axis + 1)));
  const values = Array.from({ length: sizeOf(shape) }, (_, place) =>
    of(strides.map((stride, axis) => Math.floor(place / stride) % (shape[axis] ?? 1))),
  );
  return { shape, values };
}

/**
 * The element of a tensor at an index; NaN if the index is out of range.
 * @param {Small} tensor
 * @param {number[]} index
 */
export function elementAt({ shape, values }, index) {
  const isThere = index.length === shape.length && index.every((at, axis) => at < (shape[axis] ?? 0));
  const place = index.reduce((sum, at, axis) => sum * (shape[axis] ?? 0) + at, 0);
  return (isThere ? values[place] : undefined) ?? Number.NaN;
}
