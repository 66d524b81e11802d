/**
 * Owns the positions of the columns and rows in which a storage's elements are drawn as cells. Adjacent
 * matrices are separated by gaps. If a column or row has too many cells, only the cells at both ends are
 * drawn, and one slot stands for the cells between them. Pure.
 */

/** @import {Axis, Strip} from "../run/types.d.ts" */

/**
 * The size in px of the slot that stands for omitted rows or columns, and of the gap between two matrices.
 */
const HIDDEN = 26;
const GAP = 22;

/**
 * A matrix with at most this number of rows (or columns) shows all of them, unless bounds are strict. A 3 ×
 * 3 kernel of a convolution is therefore never cut.
 */
const LEAST = 4;

/**
 * The minimum number of rows (or columns) that a matrix shows: one at each end, or only the first in a brief
 * picture.
 */
const FEWEST = { usual: 2, brief: 1 };

/**
 * The slots along one axis for `blocks` matrices with `inner` lines (rows or columns) each, within `most` px
 * where possible. To save space, whole matrices are omitted first, then lines of each matrix. One line alone
 * is omitted from a matrix only where bounds are strict.
 * @param {{inner: number, blocks: number, size: number, lead: number, most: number, isStrict?: boolean,
 *   isBrief?: boolean}} lines `size`: of a line in px; `lead`: px before each block
 * @returns {Axis}
 */
export function axisOf({ inner, blocks, size, lead, most, isStrict = false, isBrief = false }) {
  const lengthOf = (/** @type {number} */ lines, /** @type {number} */ shown) =>
    shown * (lead + lines * size + (lines < inner ? HIDDEN : 0)) +
    (shown - 1) * GAP +
    (shown < blocks ? HIDDEN + GAP : 0);
  const fewest = isBrief ? FEWEST.brief : FEWEST.usual;
  const least = { lines: inner <= LEAST && !isStrict ? inner : fewest, shown: Math.min(blocks, 2) };
  let [lines, shown] = [inner, blocks];
  while (shown > least.shown && lengthOf(lines, shown) > most) shown -= 1;
  const spare = (/** @type {number} */ lines) => (lines === inner && !isStrict ? size : 0);
  while (lines > least.lines && lengthOf(lines, shown) > most + spare(lines)) lines -= 1;
  while (shown < blocks && lengthOf(lines, shown + 1) <= most) shown += 1;
  return placed({ inner, blocks, size, lead }, lines, shown);
}

/**
 * @param {{inner: number, blocks: number, size: number, lead: number}} all
 * @param {number} lines of a block that are shown
 * @param {number} shown blocks
 * @returns {Axis}
 */
function placed({ inner, blocks, size, lead }, lines, shown) {
  /** @type {Axis} */
  const axis = { slots: [], of: [], length: 0 };
  let at = 0;
  const add = (/** @type {number} */ length, /** @type {boolean} */ isHidden) => {
    axis.slots.push({ at, size: length, isHidden });
    at += length;
  };
  const [firstBlocks, firstLines] = [endOf(shown, blocks), endOf(lines, inner)];
  for (let block = 0; block < blocks; block += 1) {
    const isHidden = isBetween(block, firstBlocks, shown, blocks);
    if (!isHidden || block === firstBlocks) at += (block > 0 ? GAP : 0) + (isHidden ? 0 : lead);
    for (let line = 0; line < inner; line += 1) {
      const isLineHidden = isHidden || isBetween(line, firstLines, lines, inner);
      const isFirst = isHidden ? block === firstBlocks && line === 0 : line === firstLines;
      if (!isLineHidden) add(size, false);
      else if (isFirst) add(HIDDEN, true);
      axis.of.push(axis.slots.length - 1);
    }
  }
  axis.length = at;
  return axis;
}

/**
 * The number of lines shown before the omitted lines.
 * @param {number} shown
 * @param {number} all
 */
function endOf(shown, all) {
  return shown === all ? all : Math.ceil(shown / 2);
}

/**
 * @param {number} at
 * @param {number} first
 * @param {number} shown
 * @param {number} all
 */
function isBetween(at, first, shown, all) {
  return at >= first && at < all - (shown - first);
}

/**
 * The column and row of a cell in the grid of all matrices.
 * @param {Strip} strip
 * @param {number} cell
 */
function lineOf({ columns, lines, beside }, cell) {
  const block = Math.floor(cell / (columns * lines));
  return {
    column: (block % beside) * columns + (cell % columns),
    row: Math.floor(block / beside) * lines + (Math.floor(cell / columns) % lines),
  };
}

/**
 * The slots of a cell along both axes. Along each axis, one slot stands for all cells that are omitted
 * together.
 * @param {Strip} strip
 * @param {number} cell
 */
export function slotsOfCell(strip, cell) {
  const { column, row } = lineOf(strip, cell);
  return { across: strip.across.of[column] ?? 0, down: strip.down.of[row] ?? 0 };
}

/**
 * The box of a cell relative to its strip. `isHidden`: the box stands for several omitted cells. `isOfRows`:
 * the box stands for omitted rows.
 * @param {Strip} strip
 * @param {number} cell
 */
export function boxOfCell(strip, cell) {
  const { across, down } = slotsOfCell(strip, cell);
  const [x, y] = [strip.across.slots[across], strip.down.slots[down]];
  return {
    x: x?.at ?? 0,
    y: y?.at ?? 0,
    width: x?.size ?? 0,
    height: y?.size ?? 0,
    isHidden: (x?.isHidden ?? false) || (y?.isHidden ?? false),
    isOfRows: y?.isHidden ?? false,
  };
}
