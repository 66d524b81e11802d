/** Owns the few values that a tensor shows, in the order in which it reads them. Pure. */

import { cellsRead, nested } from "./format.js";

/** @import {Contents, Geometry} from "./trace.d.ts" */

const MOST = 64;

/**
 * Values with their brackets, row-major whatever the strides are; the shape for many and for what is unknown.
 * @param {Geometry} geometry
 * @param {Contents | null | undefined} contents of its storage
 * @param {number} most characters
 */
export function shown(geometry, contents, most) {
  const read = cellsRead(geometry, contents);
  if (read === undefined) return nested({ kind: "unknown", reason: "" }, geometry.shape, most);
  const values = places(geometry)
    .map((place) => read.values[place])
    .filter((value) => value !== undefined);
  return nested({ ...read, values }, geometry.shape, most);
}

/**
 * The positions of its elements in its storage; none where they are many.
 * @param {Geometry} geometry
 */
function places({ shape, stride, storage_offset }) {
  const count = shape.reduce((product, size) => product * size, 1);
  if (stride === null || storage_offset === null || count > MOST) return [];
  return shape.reduce(
    (found, size, dimension) =>
      found.flatMap((place) =>
        Array.from({ length: size }, (_, number) => place + number * (stride[dimension] ?? 0)),
      ),
    [storage_offset],
  );
}
