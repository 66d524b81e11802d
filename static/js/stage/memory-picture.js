/**
 * Owns the drawing of memory at a step: name tags, tensors with their version counters, storages with their
 * cells.
 */

import { clashesOf, clashText } from "../run/values/clashes.js";
import { clip, hasShape, shapeOf, shortDtype, tuple } from "../run/values/format.js";
import { pointersOf } from "../run/naming/addresses.js";
import { shortened } from "../run/naming/short-names.js";
import { retainersOfStorage, retainersOfTensor } from "../run/retainers.js";
import { MORE } from "../layout/memory-layout.js";
import { othersAt, rowsAt, slotsAt } from "../layout/memory-rows.js";
import { stateLines, tagLines, tagWidth } from "../layout/memory-widths.js";
import { monoWidth, sansWidth } from "../run/values/text-width.js";
import { clashFrame, clashFrames } from "./clash.js";
import { fitted } from "./fitted.js";
import { foldedStorages } from "./folded-storages.js";
import { arrow, frame, hatch, pill, tag } from "./shapes.js";
import { counterStrings, viewLinks } from "./tensor-lines.js";
import { storageShape } from "./storage.js";
import { isVisible } from "../layout/visible.js";
import { el, patch } from "./svg.js";
import { windowShapes } from "./windows.js";

/**
 * @import {Box, Index, Label, MemoryLayout, MemoryRow, MemorySlot, Message, State, Strip, Subject,
 *   TensorState} from "../run/types.d.ts"
 */
/** @import {Clashing} from "../run/values/clashes.js" */
/** @import {Shape} from "./svg.js" */
/** @import {Say} from "../run/types.d.ts" */

/** The approximate width of a character in the second line of a tensor's card, in picture units. */
const LETTER = 8;
/** The size of the text with a tensor's shape, the same as in the style sheets. */
const SHAPE = { large: 16, compact: 14.5 };
/** The settings for fitting a text whose size the style sheet sets: the text is only shortened. */
const AS_STYLED = { least: 0, isFixed: true };

/**
 * The size of the text in place of a missing name, the same as in the style sheets.
 * @param {MemoryLayout} layout
 */
function sizeOfWords({ measures }) {
  return measures.terse ? 13.4 : 12.5;
}

/**
 * `view`: the visible part; null: the whole picture. `over`: shapes drawn on top.
 * @typedef {{
 *   index: Index,
 *   layout: MemoryLayout,
 *   state: State,
 *   say: Say,
 *   view: Box | null,
 *   chosen: Subject | null,
 *   over: Shape[],
 * }} Scene
 */

/**
 * Draws memory at a step into `root`.
 * @param {SVGSVGElement} root
 * @param {Scene} scene
 */
export function drawMemory(root, scene) {
  patch(root, memoryShapes(scene));
}

/**
 * The SVG elements that draw memory at a step.
 * @param {Scene} scene
 */
export function memoryShapes(scene) {
  const { layout, state, say } = scene;
  const rows = rowsAt(layout, state);
  const [foot] = layout.spares?.rows ?? [];
  const isSpared = foot !== undefined && rows.at(-1)?.y === foot.y;
  const others = othersAt(layout.others, state) - (isSpared ? 1 : 0);
  return [
    hatch("cell-hatch"),
    ...rows.filter((row) => isVisible(scene.view, row)).map((row) => rowShape(scene, row)),
    ...(foot !== undefined && others > 0
      ? [othersShape(14, foot.y - MORE / 2, say("memory-others", { count: others }))]
      : []),
    el("g", { key: "over" }, scene.over),
  ];
}

/**
 * The line of text with the number of storages or tensors that are not shown.
 * @param {number} x
 * @param {number} y
 * @param {string} text
 */
function othersShape(x, y, text) {
  return el("text", { key: "others", class: "others", x, y }, text);
}

/**
 * @param {Scene} scene
 * @param {MemoryRow} row
 * @returns {Shape}
 */
function rowShape(scene, row) {
  const { state } = scene;
  const slots = slotsAt(row, state);
  const storage = row.storage === null ? undefined : state.storages.get(row.storage);
  const isGhost = storage?.freed === true;
  const look = `${storage?.is_written ? " written" : ""}${isGhost ? " ghost" : ""}`;
  const { measures } = scene.layout;
  const others = othersAt(row.others, state);
  return el(
    "g",
    { key: row.key, class: `row${look}`, "data-row": row.key },
    el("rect", {
      key: "back",
      class: "row-back",
      x: row.x,
      y: row.y - 4,
      width: row.width,
      height: row.height,
      rx: 10,
    }),
    row.fold && foldedStorages(scene, row, row.fold),
    storage && row.strip && storageShape(scene, row, storage),
    storage && counterStrings(state, slots, measures),
    slots.map((slot) => slotShape(scene, slot)),
    storage && row.strip && slots.length > 0 && windowShapes(scene, row, slots),
    storage && viewLinks(state, slots, measures),
    storage && slots.length === 0 && !isGhost && !isUsed(scene, storage.id) && retainerShape(scene, row),
    others > 0 &&
      othersShape(
        scene.layout.columns.cards,
        row.y + row.height - MORE / 2,
        scene.say("tensors-others", { count: others }),
      ),
  );
}

/**
 * Whether a tensor that the visitor hid uses a storage.
 * @param {Scene} scene
 * @param {number} storage
 */
function isUsed({ index, state }, storage) {
  return index.lookups
    .tensors_in()(storage)
    .some(({ id }) => state.tensors.get(id)?.geometry?.storage === storage);
}

/**
 * The reasons why a storage without a shown tensor is alive, drawn in the place of tensors.
 * @param {Scene} scene
 * @param {MemoryRow} row
 * @returns {Shape | null}
 */
function retainerShape({ index, state, layout, say }, row) {
  const retainers = retainersOfStorage(index, state, row.storage ?? -1);
  const strip = /** @type {Strip} */ (row.strip);
  const { cards: x, card_width: width } = layout.columns;
  const [y, height] = [
    strip.y + strip.height / 2 - layout.measures.card.height / 2,
    layout.measures.card.height,
  ];
  const place = { size: sizeOfWords(layout), room: width - 14, isSans: true };
  const texts =
    retainers.length === 0
      ? [say("keeper-unknown")]
      : [
          say("kept-by"),
          `${retainers[0]?.args.node}.${retainers[0]?.args.slot}${retainers.length > 1 ? ` ${say("more", { count: retainers.length - 1 })}` : ""}`,
        ];
  return el(
    "g",
    { key: "retained", class: "retained" },
    el("title", {}, plainly(retainers, say)),
    el("rect", { x, y, width, height, rx: 8 }),
    texts.map((text, number) =>
      el(
        "text",
        { key: `l${number}`, x: x + 9, y: y + height / 2 + 4 + (number - (texts.length - 1) / 2) * 19 },
        fitted(text, place, AS_STYLED).text,
      ),
    ),
  );
}

/** The maximum number of sentences in a tooltip. */
const MOST_TOLD = 20;

/**
 * @param {Message[]} sentences
 * @param {Say} say
 */
function plainly(sentences, say) {
  return sentences
    .slice(0, MOST_TOLD)
    .map(({ id, args }) => say(id, args).replaceAll("`", ""))
    .join("\n");
}

/** @param {TensorState | undefined} tensor */
function versionText(tensor) {
  if (tensor?.version === null) return "–";
  return tensor?.version === undefined ? "v?" : `v${tensor.version}`;
}

/**
 * @param {Scene} scene
 * @param {MemorySlot} slot
 * @returns {Shape}
 */
function slotShape(scene, slot) {
  const tensor = /** @type {TensorState} */ (scene.state.tensors.get(slot.tensor));
  const { compact, card } = scene.layout.measures;
  const { x, width } = slot;
  const y = slot.y + (slot.height - card.height) / 2;
  const radius = tensor.look === "leaf" ? 1 : tensor.look === "result" ? card.height / 2 - 1 : 8;
  const inset = (tensor.look === "result" ? 20 : 13) - (compact ? 5 : 0);
  const shape = shapeText(tensor, compact, scene.say);
  const clashes = clashesOf(scene.index, scene.state, tensor);
  const left = x + inset;
  const most = Math.floor((width - inset - (tensor.look === "result" ? 12 : 5)) / LETTER);
  return el(
    "g",
    {
      key: `t${slot.tensor}`,
      class: `tensor ${tensor.look}${tensor.is_new ? " new" : ""}`,
      "data-tensor": slot.tensor,
    },
    el("title", {}, tensorTitle(scene, tensor)),
    el("rect", { class: "tensor-card", x, y, width, height: card.height, rx: radius }),
    el(
      "text",
      { class: `tensor-shape${shape.isLong ? " long" : ""}`, x: left, y: y + card.height / 2 - 5 },
      shape.text,
    ),
    secondLine(
      { x: left, y: y + card.height / 2 + 14, size: sizeOfWords(scene.layout) },
      tensor,
      clashes,
      most,
    ),
    clashFrames(clashes, shape.text, {
      ...{ x: left, y: y + card.height / 2 - 5 },
      size: shape.isLong ? sizeOfWords(scene.layout) : SHAPE[compact ? "compact" : "large"],
    }),
    pill(
      x + width - (compact ? 6 : tensor.look === "result" ? 12 : 9),
      y + 5,
      versionText(tensor),
      tensor.is_bumped,
    ),
    scene.chosen?.kind === "tensor" &&
      scene.chosen.id === slot.tensor &&
      frame({ x, y, width, height: card.height }),
    tensor.labels.length > 0 ? tags(scene, slot, tensor.labels) : nameless(scene, slot),
  );
}

/**
 * The second line of a tensor's card: the size or dtype that an operator refused, or else the tensor's
 * strides and offset.
 * @param {{x: number, y: number, size: number}} at
 * @param {TensorState} tensor
 * @param {Clashing[]} clashes
 * @param {number} most maximum number of characters
 */
function secondLine(at, tensor, [clash], most) {
  const { x, y } = at;
  if (clash === undefined) return el("text", { class: "tensor-stride", x, y }, strideText(tensor, most));
  const { actual, text } = clashText(clash, most);
  return [
    el("text", { class: "tensor-stride clashes", x, y }, clip(text, most)),
    clash.dimension === null && clashFrame("", actual, at),
  ];
}

/**
 * The text in place of the name of an unnamed tensor, which says why the tensor is alive.
 * @param {Scene} scene
 * @param {MemorySlot} slot
 * @returns {Shape}
 */
function nameless({ index, state, layout, say }, slot) {
  const retainers = retainersOfTensor(index, state, slot.tensor);
  const texts =
    retainers.length === 0
      ? [say("keeper-unknown")]
      : say(`${retainers[0]?.id}-short`, brief(index, layout, retainers[0]?.args)).split("\n");
  const right = layout.columns.names;
  const place = { size: sizeOfWords(layout), room: right - 16, isSans: true };
  const lines = texts.map((text) => fitted(text, place, AS_STYLED).text);
  const width = Math.max(...lines.map((line) => sansWidth(line, place.size))) + 14;
  const [y, height] = [slot.y + slot.height / 2 - 19, 38];
  return el(
    "g",
    { key: "nameless", class: "nameless" },
    el("title", {}, retainers.length === 0 ? say("keeper-unknown") : plainly(retainers, say)),
    el("rect", { x: right - width, y, width, height, rx: 6 }),
    lines.map((line, number) =>
      el(
        "text",
        {
          key: `l${number}`,
          x: right - width / 2,
          y: y + height / 2 + 4.2 + (number - (lines.length - 1) / 2) * 15,
        },
        line,
      ),
    ),
    el("path", { class: "nameless-line", d: `M${right},${slot.y + slot.height / 2} H${slot.x}` }),
  );
}

/**
 * @param {Index} index
 * @param {MemoryLayout} layout
 * @param {Message["args"]} [args]
 */
function brief(index, { measures }, args = {}) {
  const { name } = args;
  return typeof name === "string" ? { ...args, name: shortened(index, name, measures.tag.most) } : args;
}

/**
 * @param {TensorState} tensor
 * @param {boolean} compact
 * @param {Say} say
 */
function shapeText({ geometry }, compact, say) {
  if (geometry && !hasShape(geometry))
    return { text: geometry.layout === "opaque" ? "?" : say("no-shape"), isLong: true };
  if (!geometry) return { text: "?", isLong: false };
  const text = shapeOf(geometry);
  const isLong = text.length > (compact ? 8 : 12);
  return { text: isLong ? clip(text.replaceAll(", ", ","), compact ? 11 : 15) : text, isLong };
}

/**
 * @param {TensorState} tensor
 * @param {number} most maximum number of characters
 */
function strideText({ geometry }, most) {
  if (!geometry) return "";
  const { dtype, layout, stride } = geometry;
  const rest = stride === null ? layout : `${tuple(stride)} +${geometry.storage_offset}`;
  const isPlain = dtype === "float32" && stride !== null;
  const heads = isPlain ? ["stride", "strd"] : [dtype, shortDtype(dtype)];
  const texts = [
    ...heads.map((head) => `${head} ${rest}`),
    `${heads.at(-1)} ${rest.replaceAll(/ (?=\d)| (?=\+)/g, "")}`,
  ];
  return (
    texts.find((text) => text.length <= most) ?? clip(stride === null ? layout : (texts.at(-1) ?? ""), most)
  );
}

/**
 * @param {Scene} scene
 * @param {TensorState} tensor
 */
function tensorTitle({ index, state }, { id, geometry, labels, type }) {
  if (!geometry) return type;
  const stride =
    geometry.stride === null
      ? ""
      : `stride ${tuple(geometry.stride)}, storage_offset ${geometry.storage_offset}`;
  return [
    `${labels.map((label) => label.text).join(", ")} ${type}`,
    shapeOf(geometry),
    geometry.dtype,
    geometry.device,
    stride,
    ...pointersOf(index, id, state.tick),
  ].join("\n");
}

/**
 * @param {Scene} scene
 * @param {MemorySlot} slot
 * @param {Label[]} labels
 */
function tags({ index, layout, say, chosen }, slot, labels) {
  const key = chosen?.kind === "name" ? `n${chosen.id}` : chosen?.kind === "grad" ? `g${chosen.id}` : "";
  const { tag: look } = layout.measures;
  const first = shortened(index, labels[0]?.text ?? "", look.most);
  const isLong = labels.length > 1 && first.length > look.most;
  const plain = labels.filter(
    (label, number) => number === 0 || (number < 3 && label.text.length <= look.most && !isLong),
  );
  // A name in two lines together with a short name takes no more space than three names in one line each.
  const short = isLong && labels.length > 2 ? labels.find(({ text }) => text.length <= look.most) : undefined;
  if (short !== undefined) plain.push(short);
  const folded = labels.length - plain.length;
  const more = say("more", { count: labels.length - Math.min(plain.length, 2) });
  const shown = folded > 0 && !isLong ? [...plain.slice(0, 2), { key: "more", text: more }] : plain;
  const right = layout.columns.names;
  const middle = slot.y + slot.height / 2;
  const texts = shown.map((label, number) => {
    const isWhole = shown.length === 1 || (isLong && number === 0);
    const lines = isWhole
      ? linesOfTag(index, label.text, look.most, say)
      : [shortened(index, label.text, look.most)];
    if (isLong && number === 0) lines.push(`${lines.pop()} ${more}`);
    return lines;
  });
  const heights = texts.map((lines) => (lines.length === 2 ? look.tall : look.height));
  let below = middle - (heights.reduce((all, height) => all + height + 4, 0) - 4) / 2;
  return shown.map((label, number) => {
    const [lines = [], height = 0] = [texts[number], heights[number]];
    const width = Math.min(
      shown.length === 1 && !isLong
        ? tagWidth(index, label.text, look)
        : Math.max(...lines.map((line) => monoWidth(line, look.size))) + 18,
      right - 4,
    );
    const y = below;
    below += height + 4;
    const from = y + height / 2;
    const to = middle + (shown.length > 1 ? (number - (shown.length - 1) / 2) * 14 : 0);
    const curve = `M${right},${from} C${right + 12},${from} ${slot.x - 16},${to} ${slot.x - 7},${to}`;
    return el(
      "g",
      {
        key: label.key,
        class: "name",
        "data-name": label.text,
        "data-label": label.key === "more" ? null : label.key,
      },
      el("path", { class: "name-line", d: curve }),
      el("g", { class: "name-arrow" }, arrow(slot.x - 1, to, 4.5, "right")),
      tag({ x: right - width, y, width, height }, lines, "tag"),
      key === label.key && frame({ x: right - width, y, width, height }, 3),
    );
  });
}

/**
 * The lines of text in the name tag of a tensor that has only one tag.
 * @param {Index} index
 * @param {string} text
 * @param {number} most
 * @param {Say} say
 */
function linesOfTag(index, text, most, say) {
  const state = stateLines(index, text, most);
  return state === null ? tagLines(index, text, most) : say("tag-state", state).split("\n");
}
