/** Owns the drawing of memory at a step: name tags, tensors with their version counters, storages with their cells. */

import { clip, hasShape, shapeOf, shortDtype, tuple } from "../format.js";
import { slotsAt, tagLines, tagWidth } from "../layout/memory.js";
import { monoWidth } from "../layout/text.js";
import { arrow, frame, pill, tag } from "./shapes.js";
import { storageShape, windowShapes } from "./storage.js";
import { isSeen } from "./sight.js";
import { el, patch } from "./svg.js";

/** @import {Box, Index, Label, MemoryLayout, MemoryRow, MemorySlot, State, Subject, TensorState} from "../types.d.ts" */
/** @import {Shape} from "./svg.js" */
/** @import {Say} from "../words.js" */

/** `view`: the part that can be seen; null: all of it. @typedef {{index: Index, layout: MemoryLayout, state: State, say: Say, view: Box | null, chosen: Subject | null}} Scene */

/**
 * Draws memory at a step into `root`.
 * @param {SVGSVGElement} root
 * @param {Scene} scene
 */
export function drawMemory(root, scene) {
  const tick = scene.state.tick;
  const rows = scene.layout.rows.filter((row) => isSeen(scene.view, row) && row.from <= tick && tick < row.until);
  patch(root, rows.map((row) => rowShape(scene, row)));
}

/** @param {Scene} scene @param {MemoryRow} row @returns {Shape} */
function rowShape(scene, row) {
  const { state } = scene;
  const slots = slotsAt(row, state);
  const storage = row.storage === null ? undefined : state.storages.get(row.storage);
  const isGhost = storage?.freed === true;
  const look = `${storage?.is_written ? " written" : ""}${isGhost ? " ghost" : ""}`;
  const owner = /** @type {TensorState | undefined} */ (state.tensors.get(slots[0]?.tensor ?? -1));
  return el(
    "g",
    { key: row.key, class: `row${look}`, "data-row": row.key },
    el("rect", { key: "back", class: "row-back", x: row.x, y: row.y - 4, width: row.width, height: row.height, rx: 10 }),
    storage && row.strip && storageShape(scene, row, storage),
    slots.map((slot) => slotShape(scene, slot)),
    storage && row.strip && owner && windowShapes(scene, row, slots),
  );
}

/** @param {TensorState | undefined} tensor */
function versionText(tensor) {
  if (tensor?.version === null) return "–";
  return tensor?.version === undefined ? "v?" : `v${tensor.version}`;
}

/** @param {Scene} scene @param {MemorySlot} slot @returns {Shape} */
function slotShape(scene, slot) {
  const tensor = /** @type {TensorState} */ (scene.state.tensors.get(slot.tensor));
  const { compact, card } = scene.layout.measures;
  const { x, width } = slot;
  const y = slot.y + (slot.height - card.height) / 2;
  const radius = tensor.look === "leaf" ? 1 : tensor.look === "result" ? card.height / 2 - 1 : 8;
  const inset = (tensor.look === "result" ? 20 : 13) - (compact ? 5 : 0);
  const shape = shapeText(tensor, compact, scene.say);
  return el(
    "g",
    { key: `t${slot.tensor}`, class: `tensor ${tensor.look}${tensor.is_new ? " new" : ""}`, "data-tensor": slot.tensor },
    el("title", {}, tensorTitle(tensor)),
    el("rect", { class: "tensor-card", x, y, width, height: card.height, rx: radius }),
    el("text", { class: `tensor-shape${shape.isLong ? " long" : ""}`, x: x + inset, y: y + card.height / 2 - 5 }, shape.text),
    el("text", { class: "tensor-stride", x: x + inset, y: y + card.height / 2 + 14 }, strideText(tensor, compact)),
    pill(x + width - (compact ? 6 : tensor.look === "result" ? 12 : 9), y + 5, versionText(tensor), tensor.is_bumped),
    scene.chosen?.kind === "tensor" && scene.chosen.id === slot.tensor && frame({ x, y, width, height: card.height }),
    tags(scene, slot, tensor.labels),
  );
}

/** @param {TensorState} tensor @param {boolean} compact @param {Say} say */
function shapeText({ geometry }, compact, say) {
  if (geometry && !hasShape(geometry)) return { text: geometry.layout === "opaque" ? "?" : say("no-shape"), isLong: true };
  if (!geometry) return { text: "?", isLong: false };
  const text = shapeOf(geometry);
  const isLong = text.length > (compact ? 8 : 12);
  return { text: isLong ? clip(text.replaceAll(", ", ","), compact ? 11 : 15) : text, isLong };
}

/** @param {TensorState} tensor @param {boolean} compact */
function strideText({ geometry }, compact) {
  if (!geometry) return "";
  const most = compact ? 15 : 21;
  const { dtype, layout, stride } = geometry;
  const rest = stride === null ? layout : `${tuple(stride)} +${geometry.storage_offset}`;
  const isPlain = dtype === "float32" && stride !== null;
  const heads = isPlain ? [compact ? "str" : "stride"] : [dtype, shortDtype(dtype)];
  const texts = [...heads.map((head) => `${head} ${rest}`), `${heads.at(-1)} ${rest.replaceAll(/ (?=\d)| (?=\+)/g, "")}`];
  return texts.find((text) => text.length <= most) ?? clip(stride === null ? layout : (texts.at(-1) ?? ""), most);
}

/** @param {TensorState} tensor */
function tensorTitle({ geometry, labels, type }) {
  if (!geometry) return type;
  const stride = geometry.stride === null ? "" : `stride ${tuple(geometry.stride)}, storage_offset ${geometry.storage_offset}`;
  return [`${labels.map((label) => label.text).join(", ")} ${type}`, shapeOf(geometry), geometry.dtype, geometry.device, stride].join("\n");
}

/** @param {Scene} scene @param {MemorySlot} slot @param {Label[]} labels */
function tags({ layout, say, chosen }, slot, labels) {
  const key = chosen?.kind === "name" ? `n${chosen.id}` : chosen?.kind === "grad" ? `g${chosen.id}` : "";
  const { tag: look } = layout.measures;
  const plain = labels.filter((label, number) => number === 0 || (number < 3 && label.text.length <= look.most));
  const folded = labels.length - plain.length;
  const shown = folded > 0 ? [...plain.slice(0, 2), { key: "more", text: say("more", { count: labels.length - Math.min(plain.length, 2) }) }] : plain;
  const right = layout.columns.names;
  const middle = slot.y + slot.height / 2;
  const step = look.height + 4;
  const top = middle - (shown.length * step - 4) / 2;
  return shown.map((label, number) => {
    const lines = shown.length === 1 ? tagLines(label.text, look.most) : [clip(label.text, look.most)];
    const height = lines.length === 2 ? look.tall : look.height;
    const width = Math.min(shown.length === 1 ? tagWidth(label.text, look) : monoWidth(lines[0] ?? "", look.size) + 18, right - 4);
    const y = lines.length === 2 ? middle - look.tall / 2 : top + number * step;
    const from = y + height / 2;
    const to = middle + (shown.length > 1 ? (number - (shown.length - 1) / 2) * 14 : 0);
    const curve = `M${right},${from} C${right + 12},${from} ${slot.x - 16},${to} ${slot.x - 7},${to}`;
    return el(
      "g",
      { key: label.key, class: "name", "data-name": label.text, "data-label": label.key === "more" ? null : label.key },
      el("path", { class: "name-line", d: curve }),
      el("g", { class: "name-arrow" }, arrow(slot.x - 1, to, 4.5, "right")),
      tag({ x: right - width, y, width, height }, lines, "tag"),
      key === label.key && frame({ x: right - width, y, width, height }, 3),
    );
  });
}
