/** Computes the outlines around the cells of a storage that a tensor covers. Pure. */

import { covered, itemsize } from "../run/values/format.js";
import { slotsOfCell } from "./cell-axes.js";

/** @import {Geometry} from "../run/trace.d.ts" */
/** @import {Strip} from "../run/types.d.ts" */

/**
 * The outlines around the cells of a storage that a tensor covers. Adjacent cells in a row share one
 * outline, but no outline crosses the gap where matrices are omitted.
 * @param {Strip} strip
 * @param {Geometry} geometry
 * @param {string} dtype of the cells
 */
export function windowsOf(strip, geometry, dtype) {
  if (strip.mode === "summary") return [shareOf(strip, geometry, dtype)];
  const ratio = itemsize(geometry.dtype) / itemsize(dtype);
  const cells = new Set(
    covered(geometry, 512)
      .flatMap((at) => cellsUnder(at, ratio))
      .filter((cell) => cell < strip.count),
  );
  /** @type {Map<number, Set<number>>} */
  const places = new Map();
  for (const cell of cells) {
    const { across, down } = slotsOfCell(strip, cell);
    const row = places.get(down) ?? new Set();
    places.set(down, row);
    row.add(across);
  }
  const isApart = (/** @type {number} */ down) => {
    const [before, slot] = [strip.down.slots[down - 1], strip.down.slots[down]];
    return slot?.isHidden === true && before !== undefined && before.at + before.size < slot.at;
  };
  return joined(
    [...places]
      .filter(([down]) => !isApart(down))
      .sort(([a], [b]) => a - b)
      .flatMap(([down, across]) =>
        boxesIn(
          strip,
          down,
          [...across].sort((a, b) => a - b),
        ),
      ),
  );
}

/**
 * The boxes around the covered cells in one row. Adjacent cells share a box.
 * @param {Strip} strip
 * @param {number} down
 * @param {number[]} across
 */
function boxesIn(strip, down, across) {
  const line = strip.down.slots[down];
  /** @type {{x: number, y: number, width: number, height: number}[]} */
  const boxes = [];
  for (const place of across) {
    const slot = strip.across.slots[place];
    const last = boxes.at(-1);
    if (slot === undefined || line === undefined) continue;
    if (last !== undefined && last.x + last.width === slot.at) last.width += slot.size;
    else boxes.push({ x: slot.at, y: line.at, width: slot.size, height: line.size });
  }
  return boxes;
}

/**
 * The section of a storage's summary from the first to the last element of a tensor, for a storage whose
 * cells are not drawn.
 * @param {Strip} strip
 * @param {Geometry} geometry
 * @param {string} dtype
 */
function shareOf(strip, { shape, stride, storage_offset, dtype: viewed }, dtype) {
  const whole = { x: 0, y: 0, width: strip.width, height: strip.height };
  if (stride === null || storage_offset === null || strip.count === 0) return whole;
  const ratio = itemsize(viewed) / itemsize(dtype) / strip.count;
  const last = shape.reduce(
    (sum, size, dimension) => sum + Math.max(0, size - 1) * (stride[dimension] ?? 0),
    storage_offset,
  );
  const [begin, end] = [Math.min(1, storage_offset * ratio), Math.min(1, (last + 1) * ratio)];
  const width = Math.max(3, (end - begin) * strip.width);
  return { ...whole, x: Math.min(begin * strip.width, strip.width - width), width };
}

/**
 * @param {number} position
 * @param {number} ratio
 */
function cellsUnder(position, ratio) {
  const begin = Math.floor(position * ratio);
  const end = Math.max(begin + 1, Math.ceil((position + 1) * ratio));
  return Array.from({ length: Math.min(end - begin, 16) }, (_, step) => begin + step);
}

/**
 * Joins boxes of equal width that touch, one exactly above the other, into one outline.
 * @param {{x: number, y: number, width: number, height: number}[]} boxes
 */
function joined(boxes) {
  /** @type {typeof boxes} */
  const result = [];
  for (const box of boxes) {
    const above = result.find(
      (other) => other.x === box.x && other.width === box.width && other.y + other.height === box.y,
    );
    if (above) above.height += box.height;
    else result.push({ ...box });
  }
  return result;
}
