/**
 * Draws windows. A window shows which cells of a storage a tensor reads, with an outline around the cells or
 * a line below them.
 *
 * Three or more nested outlines would be hard to distinguish. With three or more windows, only the first is
 * an outline, and the others are lines below the cells.
 */

import { covered } from "../run/values/format.js";
import { OUTLINE } from "../layout/memory-layout.js";
import { windowsOf } from "../layout/window-cells.js";
import { readingOrder } from "./reading-order.js";
import { arrow } from "./shapes.js";
import { el } from "./svg.js";

/** @import {Geometry} from "../run/trace.d.ts" */
/** @import {Box, MemoryRow, MemorySlot, Strip, TensorState} from "../run/types.d.ts" */
/** @import {Scene} from "./memory-picture.js" */
/** @import {Shape} from "./svg.js" */

/**
 * The windows of all tensors of a storage, and the arrows from the tensors to their windows.
 * @param {Scene} scene
 * @param {MemoryRow} row
 * @param {MemorySlot[]} slots
 * @returns {Shape[]}
 */
export function windowShapes({ state }, row, slots) {
  const strip = /** @type {Strip} */ (row.strip);
  const storage = state.storages.get(row.storage ?? -1);
  const dtype = storage?.contents && storage.contents.kind !== "unknown" ? storage.contents.dtype : "float32";
  const around = slots.filter((slot) => slot.ruler === null).length;
  return slots.map((slot) => {
    const tensor = state.tensors.get(slot.tensor);
    const geometry = tensor?.geometry;
    if (!tensor || !geometry || storage?.freed) return el("g", { key: `w${slot.tensor}` });
    const boxes = windowsOf(strip, geometry, dtype);
    const shapes =
      slot.ruler === null
        ? outline(strip, slot, boxes, around, tensor)
        : onLine(strip, slot, slot.ruler, boxes, geometry);
    return el(
      "g",
      { key: `w${slot.tensor}`, class: `window ${tensor.look}`, "data-window": slot.tensor },
      shapes,
      readingOrder(strip, geometry, dtype),
    );
  });
}

/**
 * Outlines around the cells. Each outline surrounds the outline of the previous tensor.
 * @param {Strip} strip
 * @param {MemorySlot} slot
 * @param {Box[]} boxes
 * @param {number} count
 * @param {TensorState} tensor
 */
function outline(strip, slot, boxes, count, tensor) {
  const out = 4 + slot.depth * OUTLINE;
  const outlines = boxes.map((box, number) =>
    el("rect", {
      key: `o${number}`,
      class: "window-line",
      x: strip.x + box.x - out,
      y: strip.y + box.y - out,
      width: box.width + 2 * out,
      height: box.height + 2 * out,
      rx: tensor.look === "leaf" ? 1 : 5,
    }),
  );
  const first = boxes[0] ?? { x: 0, y: strip.height / 2, width: 0, height: 0 };
  const x2 = strip.x + first.x - out;
  const y2 = strip.y + first.y + first.height / 2 + (count > 1 ? (slot.depth - (count - 1) / 2) * 8 : 0);
  const start = [slot.x + slot.width, slot.y + slot.height / 2];
  const isInner = first.x > 0 && slot.depth > 0 && first.y + first.height === strip.height;
  const curve = isInner
    ? fromBelow(start, x2 + 14, strip.y + strip.height + out)
    : `M${start} C${(start[0] ?? 0) + 22},${start[1]} ${x2 - 30},${y2} ${x2 - 8},${y2}`;
  const head = isInner
    ? arrow(x2 + 14, strip.y + strip.height + out, 4.5, "up")
    : arrow(x2, y2, 4.5, "right");
  return [
    outlines,
    el("path", { key: "c", class: "window-curve", d: curve }),
    el("g", { key: "a", class: "window-arrow" }, head),
    times(strip.x + strip.width + out + 5, strip.y + strip.height + out, tensor.geometry),
  ];
}

/**
 * A window as a line below the cells. The line is faint for the whole storage and filled at the cells that
 * the tensor reads.
 * @param {Strip} strip
 * @param {MemorySlot} slot
 * @param {Box} ruler
 * @param {Box[]} boxes
 * @param {Geometry} geometry
 */
function onLine(strip, slot, ruler, boxes, geometry) {
  const down = ruler.height / strip.height;
  const cells = boxes.map((box, number) =>
    el("rect", {
      key: `o${number}`,
      class: "window-line window-filled",
      x: ruler.x + box.x,
      y: ruler.y + box.y * down,
      width: box.width,
      height: box.height * down,
      rx: 3,
    }),
  );
  const first = boxes[0] ?? { x: 0, y: 0, height: strip.height };
  const from = slot.y + slot.height / 2;
  const [x, y] = [ruler.x + first.x - 3, ruler.y + (first.y + first.height / 2) * down];
  const curve = `M${slot.x + slot.width},${from} C${slot.x + slot.width + 22},${from} ${x - 24},${y} ${x - 8},${y}`;
  return [
    el("path", { key: "grid", class: "ruler", d: gridOf(strip, ruler) }),
    cells,
    el("path", { key: "c", class: "window-curve", d: curve }),
    el("g", { key: "a", class: "window-arrow" }, arrow(x, y, 4.5, "right")),
    times(ruler.x + ruler.width + 7, ruler.y + ruler.height / 2 + 4.5, geometry),
  ];
}

/**
 * @param {Strip} strip
 * @param {Box} ruler
 */
function gridOf(strip, { x, y, width, height }) {
  const frame = `M${x},${y} h${width} v${height} h${-width} z`;
  if (strip.mode === "summary") return frame;
  const within = (/** @type {number} */ at, /** @type {number} */ most) => at > 0 && at < most;
  const across = strip.across.slots.flatMap(({ at, size }) => [at, at + size]);
  const down = strip.down.slots.flatMap(({ at, size }) => [at, at + size]);
  const share = height / strip.height;
  return [
    frame,
    ...[...new Set(across)].filter((at) => within(at, strip.width)).map((at) => `M${x + at},${y} v${height}`),
    ...[...new Set(down)]
      .filter((at) => within(at, strip.height))
      .map((at) => `M${x},${y + at * share} h${width}`),
  ].join(" ");
}

/**
 * A text with the number of times that a tensor reads each cell, if it reads cells more than once, as after
 * `expand` or with overlapping strides; otherwise null.
 * @param {number} x
 * @param {number} y
 * @param {Geometry | null} geometry
 */
function times(x, y, geometry) {
  if (geometry === null || geometry.stride === null) return null;
  const count = geometry.shape.reduce((product, size) => product * size, 1);
  const cells = covered(geometry, 512).length;
  if (count <= cells || cells === 0 || cells === 512) return null;
  return el(
    "text",
    { key: "times", class: "window-times", x, y },
    count % cells === 0 ? `×${count / cells}` : `${count}/${cells}`,
  );
}

/**
 * The path of an arrow from a tensor to its window that passes below cells outside the window.
 * @param {number[]} start
 * @param {number} x
 * @param {number} y
 */
function fromBelow([x1 = 0, y1 = 0], x, y) {
  const low = y + 13;
  return `M${x1},${y1} C${x1 + 14},${y1} ${x1 + 8},${low} ${x1 + 26},${low} L${x - 10},${low} Q${x},${low} ${x},${y + 7}`;
}
