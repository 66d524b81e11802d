/** Owns how the cells of a storage are laid out: in rows of how many, how large, or as a summary. Pure. */

import { element } from "../run/format.js";
import { everName } from "../run/naming.js";
import { perTrace } from "../run/per-run.js";
import { monoWidth } from "../run/text-width.js";

/** @import {Contents, Geometry, Tensor} from "../run/trace.d.ts" */
/** @import {Index, Strip} from "../run/types.d.ts" */

/** A tensor whose cells need more lines is drawn as a summary. */
const MOST_LINES = 8;

const SUMMARY = { width: 156, height: 110 };

export const CELL = { across: 244, compact: 120, matrix: 290, most: 116, shown: 64 };

/** Few cells are drawn large enough to be read from the last row of a lecture room, many are small. */
const FEW = { height: 36, least: 42, size: 18, inset: 16 };

const MANY = { height: 32, least: 34, size: 12.5, inset: 8 };

/**
 * @param {Index} index
 * @param {number} storage
 * @param {number} x
 * @param {number} across for large cells
 * @returns {Strip}
 */
export function stripOf(index, storage, x, across) {
  const facts = index.storages[storage]?.contents ?? [];
  const count = facts.reduce((most, [, contents]) => {
    if (contents.kind === "unknown") return most;
    return Math.max(most, contents.kind === "cells" ? contents.values.length : contents.count);
  }, 0);
  const isLarge = count > CELL.shown || facts.some(([, contents]) => contents.kind !== "cells");
  /** @type {Strip} */
  const summary = {
    x,
    y: 0,
    head: 0,
    width: SUMMARY.width,
    height: SUMMARY.height,
    cell: 0,
    line: 0,
    size: 0,
    columns: 0,
    rows: 0,
    count,
    mode: "summary",
  };
  if (isLarge || count === 0) return isLarge ? summary : { ...summary, height: FEW.height };
  const all = facts.map(([, contents]) => contents);
  const look = count > 1 && count * cellWidth(all, FEW) > across ? MANY : FEW;
  const cell = cellWidth(all, look);
  const columns = Math.max(1, Math.min(count, lastDimension(index, storage, cell)));
  const rows = Math.ceil(count / columns);
  if (rows > MOST_LINES) return summary;
  return {
    x,
    y: 0,
    head: 0,
    width: columns * cell,
    height: rows * look.height,
    cell,
    line: look.height,
    size: look.size,
    columns,
    rows,
    count,
    mode: "cells",
  };
}

/**
 * @param {Contents[]} all
 * @param {typeof FEW} look
 */
function cellWidth(all, look) {
  let width = look.least;
  for (const contents of all) {
    if (contents.kind !== "cells") continue;
    for (const value of contents.values)
      width = Math.max(width, monoWidth(element(value, contents.dtype), look.size) + look.inset);
  }
  return Math.min(CELL.most, Math.ceil(width));
}

/**
 * How many columns the cells of a storage have: those of the last dimension where they fit.
 * @param {Index} index
 * @param {number} storage
 * @param {number} cell
 */
function lastDimension(index, storage, cell) {
  const most = Math.floor(CELL.across / cell);
  const geometry = firstGeometries(index).get(storage);
  if (geometry?.stride == null) return most;
  const last = geometry.shape.at(-1) ?? 1;
  const isPlain = geometry.shape.length >= 2 && geometry.stride.at(-1) === 1 && geometry.storage_offset === 0;
  return isPlain && last > 1 && last * cell <= CELL.matrix ? last : most;
}

/**
 * By storage, the geometry of the first tensor with strides and a name, or else of the first with strides.
 */
const firstGeometries = perTrace((/** @type {Index} */ index) => {
  /** @type {Map<number, Geometry>} */
  const first = new Map();
  const isNamed = (/** @type {Tensor} */ tensor) => everName(index, tensor.id) !== undefined;
  const unnamed = index.tensors.filter((tensor) => !isNamed(tensor));
  for (const tensor of [...index.tensors.filter(isNamed), ...unnamed]) {
    const geometry = tensor.geometry?.[0]?.[1];
    if (geometry?.storage != null && geometry.stride !== null && !first.has(geometry.storage))
      first.set(geometry.storage, geometry);
  }
  return first;
});
