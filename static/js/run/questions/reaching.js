/**
 * Owns whether a write may have changed a byte that a tensor reads, also for strided tensors. Pure; the
 * server applies the same rules (app/trace/overlap.py).
 */

import { at } from "../facts.js";
import { itemsize } from "../values/format.js";

/** @import {Geometry, Write} from "../trace.d.ts" */
/** @import {Index} from "../types.d.ts" */

/**
 * The bytes of a strided tensor: `run` bytes from `begin`, repeated along each dimension. Dimensions are
 * sorted by their step in bytes, largest first.
 * @typedef {{begin: number, dimensions: {count: number, step: number}[], run: number}} Block
 */

/**
 * The maximum number of blocks compared for one answer. Usual strided tensors need fewer than ten
 * comparisons.
 */
const MOST_WORK = 4096;

/**
 * Whether a write may have changed a byte that a tensor reads; null if that is unknown.
 * @param {Index} index
 * @param {Write} write
 * @param {Geometry} geometry
 * @returns {boolean | null}
 */
export function reaches(index, write, geometry) {
  if (geometry.storage !== write.storage) return false;
  const block = blockOf(geometry);
  if (block === null) return false;
  const through = at(index.tensors[write.tensor ?? -1]?.geometry, write.tick);
  const exact = through?.storage === write.storage ? blockOf(through) : null;
  const is_exact = exact !== null && exact.begin === write.begin && endOf(exact) === write.end;
  return meet(block, is_exact ? exact : { begin: write.begin, dimensions: [], run: write.end - write.begin });
}

/**
 * The bytes of a tensor in its storage as a block; null if the tensor has none, or if they are unknown.
 * @param {Geometry} geometry
 * @returns {Block | null}
 */
function blockOf({ dtype, shape, stride, storage_offset }) {
  const size = itemsize(dtype);
  if (stride === null || storage_offset === null || size === 0 || shape.includes(0)) return null;
  let run = size;
  /** @type {Block["dimensions"]} */
  const dimensions = [];
  const steps = shape.map((count, place) => ({ count, step: (stride[place] ?? 0) * size }));
  for (const { count, step } of steps.sort((a, b) => a.step - b.step)) {
    if (count <= 1 || step === 0) continue;
    // Repetitions along a dimension that touch or overlap are merged into one longer range of bytes.
    if (step <= run && dimensions.length === 0) run += (count - 1) * step;
    else dimensions.unshift({ count, step });
  }
  return { begin: storage_offset * size, dimensions, run };
}

/** @param {Block} block */
function endOf({ begin, dimensions, run }) {
  return dimensions.reduce((end, { count, step }) => end + (count - 1) * step, begin + run);
}

/**
 * Whether two blocks have a common byte; null if the answer would need more than MOST_WORK comparisons.
 * Repetitions whose first and last bytes do not overlap are skipped.
 * @param {Block} first
 * @param {Block} second
 * @returns {boolean | null}
 */
function meet(first, second) {
  /** @type {[Block, Block][]} */
  const waiting = [[first, second]];
  let work = 0;
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const [one, other] = pair;
    if (one.begin >= endOf(other) || other.begin >= endOf(one)) continue;
    if (one.dimensions.length + other.dimensions.length === 0) return true;
    for (const parts of repetitions(one, other)) {
      work += 1;
      if (work > MOST_WORK) return null;
      waiting.push(parts);
    }
  }
  return false;
}

/**
 * Divides two blocks along the dimension with the largest step, and yields the pairs of parts whose ranges
 * overlap. The blocks have a common byte if and only if the two parts of a pair have one.
 * @param {Block} one
 * @param {Block} other
 * @returns {Generator<[Block, Block]>}
 */
function* repetitions(one, other) {
  const [wide, beside] =
    (one.dimensions[0]?.step ?? 0) < (other.dimensions[0]?.step ?? 0) ? [other, one] : [one, other];
  const { count, step } = wide.dimensions[0] ?? { count: 1, step: 1 };
  const part = inner(wide, 0);
  // If both blocks repeat with the same step, only the distance between two repetitions matters.
  const is_common = beside.dimensions[0]?.step === step;
  const fixed = is_common ? inner(beside, 0) : beside;
  const least = is_common ? 1 - (beside.dimensions[0]?.count ?? 1) : 0;
  const first = Math.max(least, Math.floor((fixed.begin - endOf(part)) / step) + 1);
  const last = Math.min(count - 1, Math.ceil((endOf(fixed) - part.begin) / step) - 1);
  for (let index = first; index <= last; index++) yield [inner(wide, index * step), fixed];
}

/**
 * The first repetition of a block along its dimension with the largest step, moved by an offset in bytes.
 * @param {Block} block
 * @param {number} by
 * @returns {Block}
 */
function inner({ begin, dimensions, run }, by) {
  return { begin: begin + by, dimensions: dimensions.slice(1), run };
}
