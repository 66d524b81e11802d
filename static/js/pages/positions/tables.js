/** Merges the cells of a storage into tables. All rows of a table have the same columns. Pure. */

/** @import {Line, Look, Place} from "./figures.js" */

/** @typedef {Place & Look & {lines: Line[]}} Cell */
/** @typedef {Place & {id: string, rows: Cell[][]}} Table */

/** Two cells at a smaller distance than this, in px, count as adjacent. */
const NEAR = 0.6;

/**
 * @param {Cell[]} cells
 * @returns {Table[]}
 */
export function tablesOf(cells) {
  /** @type {Table[]} */
  const tables = [];
  for (const row of rowsOf(cells)) {
    const [first] = row;
    const last = row.at(-1);
    if (first === undefined || last === undefined) continue;
    const above = tables.findLast(({ rows }) => isUnder(row, rows.at(-1) ?? []));
    const width = last.x + last.width - first.x;
    if (above === undefined)
      tables.push({ id: "", x: first.x, y: first.y, width, height: first.height, rows: [row] });
    else {
      above.rows.push(row);
      above.height = first.y + first.height - above.y;
    }
  }
  return tables;
}

/**
 * Rows of adjacent cells, from top to bottom. The cells of a row are from left to right.
 * @param {Cell[]} cells
 */
function rowsOf(cells) {
  const sorted = [...cells].sort((a, b) => a.y - b.y || a.x - b.x);
  /** @type {Cell[][]} */
  const rows = [];
  for (const cell of sorted) {
    const before = rows.at(-1)?.at(-1);
    const isNext =
      before !== undefined &&
      isNear(before.y, cell.y) &&
      isNear(before.height, cell.height) &&
      isNear(before.x + before.width, cell.x);
    if (isNext) rows.at(-1)?.push(cell);
    else rows.push([cell]);
  }
  return rows;
}

/**
 * @param {Cell[]} row
 * @param {Cell[]} above
 */
function isUnder(row, above) {
  return (
    row.length === above.length &&
    row.every(({ x, y, width }, place) => {
      const cell = /** @type {Cell} */ (above[place]);
      return isNear(cell.x, x) && isNear(cell.width, width) && isNear(cell.y + cell.height, y);
    })
  );
}

/**
 * @param {number} a
 * @param {number} b
 */
function isNear(a, b) {
  return Math.abs(a - b) < NEAR;
}
