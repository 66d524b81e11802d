/**
 * Owns the layout of a storage's elements: as one row of cells, as matrices with the shape of its tensors,
 * or as a summary if the trace does not contain the elements. Pure.
 */

import { element, itemsize } from "../run/values/format.js";
import { everName } from "../run/naming/naming.js";
import { perTrace } from "../run/per-run.js";
import { monoWidth } from "../run/values/text-width.js";
import { reachOf } from "../run/questions/reach.js";
import { axisOf } from "./cell-axes.js";

/** @import {Contents, Geometry, Tensor} from "../run/trace.d.ts" */
/** @import {Index, Strip} from "../run/types.d.ts" */

/** The height in px above which rows of cells are omitted. */
const MOST_DOWN = 144;

/**
 * Sizes in px of the summary that replaces the cells of a large storage. `image`: the side of an image next
 * to the summary; `gap`: the distance between image and summary.
 */
export const SUMMARY = { width: 156, height: 110, image: 94, gap: 8 };

/** Widths in px of cells. `brief`: the maximum width of a cell in a brief picture. */
export const CELL = { matrix: 290, least: 190, most: 116, brief: 84 };

/**
 * Sizes in px for the note after a storage's cells, which counts the cells that no tensor reads: distance
 * from the cells, padding, and size of text.
 */
const UNREAD = { gap: 7, inset: 8, size: 12.5 };

/** Height in px of the label above a matrix, which contains its index. */
export const LABEL = 22;

/** Sizes in px of the cells of small storages, which can be read from the last row of a lecture room. */
const FEW = { height: 36, least: 42, size: 18, inset: 16 };

const MANY = { height: 32, least: 34, size: 12.5, inset: 8 };

/**
 * @param {Index} index
 * @param {number} storage
 * @param {number} x
 * @param {{across: number, most: number, isStrict?: boolean, isBrief?: boolean}} room the maximum widths in
 *   px: `across` for the few large cells of a small storage, `most` for many small cells
 * @returns {Strip}
 */
export function stripOf(index, storage, x, { across, most, isStrict = false, isBrief = false }) {
  const facts = index.storages[storage]?.contents ?? [];
  const all = facts.map(([, contents]) => contents);
  const count = all.reduce((largest, contents) => {
    if (contents.kind === "unknown") return largest;
    return Math.max(largest, contents.kind === "cells" ? contents.values.length : contents.count);
  }, 0);
  const isLarge = facts.some(([, contents]) => contents.kind !== "cells");
  const hasImage = all.some((contents) => contents.kind === "summary" && contents.image);
  const height = count === 0 && !isLarge ? FEW.height : SUMMARY.height;
  const nothing = { slots: [], of: [], length: 0 };
  if (isLarge || count === 0)
    return {
      ...{ x, y: 0, head: 0, height, count, mode: "summary" },
      width: SUMMARY.width + (hasImage ? SUMMARY.image + SUMMARY.gap : 0),
      ...{ size: 0, columns: 0, lines: 0, beside: 1, across: nothing, down: nothing, labels: [] },
      unread: null,
    };
  const read = Math.min(count, cellsRead(all, reachOf(index, storage)));
  const widest = isBrief ? CELL.brief : CELL.most;
  const look = read > 1 && read * cellWidth(all, FEW, read) > across ? MANY : FEW;
  const cell = Math.min(widest, cellWidth(all, look, read));
  const behind = read < count ? Math.ceil(monoWidth(`+${count - read}`, UNREAD.size)) + 2 * UNREAD.inset : 0;
  const strip = gridOf(index, storage, {
    ...{ x, count: read, size: look.size, cell, line: look.height, isStrict, isBrief },
    most: isBrief && behind > 0 ? most - behind - UNREAD.gap : most,
  });
  if (read < count) {
    const width = behind;
    strip.unread = { x: strip.width + UNREAD.gap, y: 0, width, height: look.height, count: count - read };
  }
  return strip;
}

/**
 * The number of elements that begin before a given byte of a storage.
 * @param {Contents[]} all
 * @param {number} end
 */
function cellsRead(all, end) {
  const sizes = all.flatMap((contents) => (contents.kind === "cells" ? [itemsize(contents.dtype)] : []));
  return Math.ceil(end / Math.min(...sizes));
}

/**
 * The right end of a strip in px, including the note after its cells.
 * @param {Strip} strip
 */
export function endOfStrip({ width, unread }) {
  return unread === null ? width : unread.x + unread.width;
}

/**
 * @param {Index} index
 * @param {number} storage
 * @param {{count: number, size: number, cell: number, line: number} & {x: number, most: number} & {
 *   isStrict: boolean, isBrief: boolean}} look
 * @returns {Strip}
 */
function gridOf(index, storage, { x, count, size, cell, line, most, isStrict, isBrief }) {
  const { columns, lines, third, outer } = matricesOf(index, storage, count);
  const blocks = Math.ceil(count / (columns * lines));
  const isFitting = (/** @type {number} */ beside) =>
    axisOf({ inner: columns, blocks: beside, size: cell, lead: 0, most: Infinity }).length <= most;
  const beside = [blocks, third].find((each) => each <= blocks && isFitting(each) && outer.length > 0) ?? 1;
  const lead = outer.length > 0 ? LABEL : 0;
  const across = axisOf({ inner: columns, blocks: beside, size: cell, lead: 0, most, isStrict, isBrief });
  const down = axisOf({
    inner: lines,
    blocks: Math.ceil(blocks / beside),
    size: line,
    lead,
    most: MOST_DOWN,
  });
  /** @type {Strip} */
  const strip = {
    ...{ x, y: 0, head: 0, width: across.length, height: down.length, count, mode: "cells" },
    ...{ size, columns, lines, beside, across, down, labels: [] },
    unread: null,
  };
  if (lead > 0) strip.labels = labelsOf(strip, blocks, outer);
  return strip;
}

/**
 * The labels above the shown matrices: the index of each matrix in the outer dimensions.
 * @param {Strip} strip
 * @param {number} blocks
 * @param {Dimension[]} outer
 */
function labelsOf({ columns, lines, beside, across, down }, blocks, outer) {
  const labels = [];
  for (let block = 0; block < blocks; block += 1) {
    const x = across.slots[across.of[(block % beside) * columns] ?? 0];
    const y = down.slots[down.of[Math.floor(block / beside) * lines] ?? 0];
    if (x === undefined || y === undefined || x.isHidden || y.isHidden) continue;
    const at = outer.map(({ size, stride }) => Math.floor((block * columns * lines) / stride) % size);
    labels.push({ x: x.at, y: y.at, text: `[${at.join(", ")}]` });
  }
  return labels;
}

/**
 * @param {Contents[]} all
 * @param {typeof FEW} look
 * @param {number} read how many cells are drawn
 */
function cellWidth(all, look, read) {
  let width = look.least;
  for (const contents of all) {
    if (contents.kind !== "cells") continue;
    for (const value of contents.values.slice(0, read))
      width = Math.max(width, monoWidth(element(value, contents.dtype), look.size) + look.inset);
  }
  return Math.ceil(width);
}

/** @typedef {{size: number, stride: number}} Dimension */

/**
 * @typedef {{columns: number, lines: number, third: number, outer: Dimension[]}} Matrices `columns`,
 *   `lines`: the size of a matrix; `third`: the number of matrices side by side; `outer`: the dimensions in
 *   which one matrix follows another
 */

/**
 * The matrices in which a storage's elements are drawn. The size of the matrices comes from the storage's
 * first tensor whose strides divide the storage into equal matrices. Without such a tensor, the elements are
 * drawn as one row.
 * @param {Index} index
 * @param {number} storage
 * @param {number} count
 * @returns {Matrices}
 */
function matricesOf(index, storage, count) {
  for (const geometry of geometriesOf(index).get(storage) ?? []) {
    const found = matricesBy(geometry, count);
    if (found !== null) return found;
  }
  return { columns: count, lines: 1, third: 1, outer: [] };
}

/**
 * Derives the matrices of a whole storage from the strides of one tensor, even if the tensor is a transposed
 * or sliced view. Null: the strides do not divide the storage into matrices.
 * @param {Geometry} geometry
 * @param {number} count
 * @returns {Matrices | null}
 */
function matricesBy({ shape, stride }, count) {
  if (stride === null) return null;
  const dimensions = shape.map((size, at) => ({ size, stride: stride[at] ?? 0 }));
  const [inner, next, third, ...rest] = dimensions
    .filter((dimension) => dimension.size > 1 && dimension.stride > 0)
    .sort((a, b) => a.stride - b.stride);
  if (inner === undefined || next === undefined || inner.stride !== 1 || next.stride < inner.size)
    return null;
  const columns = next.stride;
  const lines = (third?.stride ?? Math.ceil(count / columns) * columns) / columns;
  if (columns > count || !Number.isInteger(lines) || lines < next.size) return null;
  if (third === undefined) return { columns, lines, third: 1, outer: [] };
  const beside = (rest[0]?.stride ?? third.size * third.stride) / third.stride;
  const outer = dimensions.filter((each) => each !== inner && each !== next);
  const isEven = Number.isInteger(beside) && beside >= third.size;
  return isEven ? { columns, lines, third: beside, outer } : null;
}

/** By storage, the shapes and strides of all tensors that ever use the storage, named tensors first. */
const geometriesOf = perTrace((/** @type {Index} */ index) => {
  /** @type {Map<number, Geometry[]>} */
  const found = new Map();
  const isNamed = (/** @type {Tensor} */ tensor) => everName(index, tensor.id) !== undefined;
  const unnamed = index.tensors.filter((tensor) => !isNamed(tensor));
  for (const tensor of [...index.tensors.filter(isNamed), ...unnamed])
    for (const [, geometry] of tensor.geometry ?? []) {
      if (geometry.storage === null || geometry.stride === null) continue;
      const list = found.get(geometry.storage) ?? [];
      found.set(geometry.storage, list);
      if (list.length < MOST_ASKED) list.push(geometry);
    }
  return found;
});

/** The maximum number of tensors of a storage whose strides are tried. */
const MOST_ASKED = 24;
