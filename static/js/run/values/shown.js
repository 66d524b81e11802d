/**
 * Owns reading the values that the pictures show of a small tensor, in the tensor's order instead of the
 * storage's. Pure.
 */

import { cellsRead, nested } from "./format.js";

/** @import {Contents, Geometry} from "../trace.d.ts" */

const MOST = 64;

/**
 * The values of a tensor in brackets, row by row for any strides, or the shape if the values are too many or
 * unknown.
 * @param {Geometry} geometry
 * @param {Contents | null | undefined} contents of its storage
 * @param {number} most maximum number of characters
 */
export function shown(geometry, contents, most) {
  const values = valuesRead(geometry, contents);
  if (values === undefined) return nested({ kind: "unknown", reason: "" }, geometry.shape, most);
  return nested({ kind: "cells", dtype: geometry.dtype, values }, geometry.shape, most);
}

/**
 * The values of a tensor in the tensor's order; undefined if they are unknown.
 * @param {Geometry} geometry
 * @param {Contents | null | undefined} contents of its storage
 */
export function valuesRead(geometry, contents) {
  const read = cellsRead(geometry, contents);
  return read === undefined
    ? undefined
    : (placesIn(geometry, MOST) ?? [])
        .map((place) => read.values[place])
        .filter((value) => value !== undefined);
}

/**
 * The positions of a tensor's elements in its storage, in order; undefined if the elements are too many or
 * unknown.
 * @param {Geometry} geometry
 * @param {number} most
 */
export function placesIn({ shape, stride, storage_offset }, most) {
  const count = shape.reduce((product, size) => product * size, 1);
  if (stride === null || storage_offset === null || count > most) return undefined;
  return shape.reduce(
    (found, size, dimension) =>
      found.flatMap((place) =>
        Array.from({ length: size }, (_, number) => place + number * (stride[dimension] ?? 0)),
      ),
    [storage_offset],
  );
}
