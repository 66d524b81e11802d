/**
 * Owns reading the recorded elements of a tensor from its storage, in the tensor's order: as contents, as
 * text, or as numbers for computing. Pure.
 */

import { at } from "../facts.js";
import { cellsRead, nested } from "./format.js";
import { placesIn } from "./shown.js";
import { sizeOf } from "./small-tensor.js";

/** @import {Contents, Geometry, Value} from "../trace.d.ts" */
/** @import {Index} from "../types.d.ts" */
/** @import {Small} from "./small-tensor.js" */

/** The maximum number of elements that are read from a tensor. */
const MOST_CELLS = 256;

/**
 * The contents of a tensor with the given geometry at a tick, or "unknown" if the elements are too many or
 * not recorded.
 * @param {Index} index
 * @param {Geometry} geometry
 * @param {number} tick
 * @returns {Contents}
 */
export function elementsAt(index, geometry, tick) {
  const read = cellsRead(geometry, at(index.storages[geometry.storage ?? -1]?.contents, tick));
  const places = read && placesIn(geometry, MOST_CELLS);
  const values = places?.map((place) => read?.values[place]).filter((value) => value !== undefined);
  return values === undefined || values.length !== places?.length
    ? { kind: "unknown", reason: "" }
    : { kind: "cells", dtype: geometry.dtype, values };
}

/**
 * The contents of a tensor as text, or the shape if the text would be longer than `most`.
 * @param {Index} index
 * @param {Geometry} geometry
 * @param {number} tick
 * @param {number} most maximum number of characters
 */
export function elementsText(index, geometry, tick, most) {
  return nested(elementsAt(index, geometry, tick), geometry.shape, most);
}

/**
 * Recorded contents as a tensor of numbers for computing; null if the elements are too many, complex or
 * unknown.
 * @param {Contents} contents
 * @param {number[]} shape
 * @returns {Small | null}
 */
export function smallOf(contents, shape) {
  if (contents.kind !== "cells" || contents.values.length > MOST_CELLS) return null;
  const values = contents.values.map(numberOf);
  const isComplex = contents.values.some((value) => Array.isArray(value));
  return isComplex || values.length !== sizeOf(shape) ? null : { shape, values };
}

/** @param {Value} value */
function numberOf(value) {
  if (typeof value === "string") return Number(value.replace("nan", "NaN").replace("inf", "Infinity"));
  return Array.isArray(value) ? Number.NaN : Number(value);
}
