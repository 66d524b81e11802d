/**
 * Owns the labels of a graph that is drawn at a small scale. Labels have their usual size on the screen, do
 * not overlap, and have the same positions at every step.
 */

import { addTo } from "../run/grouped.js";
import { clipName, shortName } from "../run/values/format.js";
import { everName } from "../run/naming/naming.js";
import { perRun } from "../run/per-run.js";
import { leafOf } from "../layout/unreached.js";
import { monoWidth } from "../run/values/text-width.js";
import { bucketLabel } from "../layout/union-graph.js";
import { titleOf } from "./group.js";

/** @import {Box, GraphBox, GraphLayout, Index} from "../run/types.d.ts" */
/** @import {Scene} from "./graph-picture.js" */

/**
 * A label next to its box or inside it, in picture units. `size`: the size of its text. `hasRoom`: whether
 * there is space for a gradient after the label.
 * @typedef {Box & {
 *   key: string,
 *   node: number,
 *   text: string,
 *   size: number,
 *   isGroup: boolean,
 *   hasRoom: boolean,
 * }} Label
 */

/** Sizes of text, and margins, in px of the page. */
const LETTERS = { size: 12.5, line: 16, margin: 5 };
/** A text that is as wide as the space reserved for a gradient. */
const GRADIENT = "∇ 0.00123";
/** The label of the active box is placed in the same way as the label of a Node. */
const ACROSS = { isFrame: false, isGroup: false };
/** The maximum number of characters of a label. */
const MOST = 24;
/**
 * The picture is divided into horizontal bands of this height, by which overlapping labels and boxes are
 * found quickly.
 */
const FIELD = 64;

/**
 * The labels of a layout for which there is room at a scale: groups first, then Nodes.
 * @param {Scene} scene
 * @returns {Label[]}
 */
export function labelsOf({ index, layout, scale, spare, say }) {
  const kept = labelsAt(layout);
  const key = `${scale} ${spare} ${say("group-fold")}`;
  const labels = kept.get(key) ?? placed(layout, { scale, spare }, textsOf({ index, layout, say }));
  if (!kept.has(key)) kept.clear();
  kept.set(key, labels);
  return labels;
}

/** The labels of a layout at the current scale and in the current language. */
const labelsAt = perRun((/** @type {GraphLayout} */ _) => /** @type {Map<string, Label[]>} */ (new Map()));

/**
 * The text of the label for each box: for folded groups first, then for open groups, then for Nodes.
 * @param {Pick<Scene, "index" | "layout" | "say">} scene
 */
function textsOf({ index, layout, say }) {
  const frames = layout.frames.map((frame) => {
    const group = /** @type {GraphLayout["groups"][number]} */ (layout.groups[frame.group]);
    return { key: `f${group.key}`, box: frame, node: group.first, text: titleOf(group, say), isGroup: true };
  });
  const boxes = layout.boxes.map((box) => {
    const group = layout.groups[box.fold?.group ?? -1];
    const text = group === undefined ? nameOf(index, box) : titleOf(group, say);
    return {
      key: box.key,
      box: { ...box, height: box.body },
      node: box.node,
      text,
      isGroup: group !== undefined,
    };
  });
  return [...boxes.filter(({ isGroup }) => isGroup), ...frames, ...boxes.filter(({ isGroup }) => !isGroup)];
}

/**
 * @param {Index} index
 * @param {GraphBox} box
 */
function nameOf(index, box) {
  if (box.shape === "node") return shortName(index.nodes[box.node]?.name ?? "");
  return bucketLabel(index, everName(index, leafOf(index, box) ?? null) ?? "");
}

/**
 * @param {GraphLayout} layout
 * @param {Pick<Scene, "scale" | "spare">} pane
 * @param {ReturnType<typeof textsOf>} texts
 */
function placed({ width, boxes }, { scale, spare }, texts) {
  const taken = new Fields(FIELD / scale);
  for (const box of boxes) taken.add({ ...box, height: box.body });
  /** @type {Label[]} */
  const labels = [];
  for (const { key, box, node, text: whole, isGroup } of texts) {
    const isFrame = key.startsWith("f");
    const texts = [whole, shortOf(whole)].map((text) => clipName(text, MOST));
    const places = texts.flatMap((text) => placesFor(text, box, scale, { isFrame, isGroup }));
    const label = places
      .sort((a, b) => Number(b.hasRoom) - Number(a.hasRoom) || Number(a.isIn) - Number(b.isIn))
      .find(
        (place) =>
          place.x >= -spare &&
          place.x + place.width <= width + spare &&
          !taken.meets(place, place.isIn && !isFrame ? box : undefined),
      );
    if (label === undefined) continue;
    taken.add(label);
    labels.push({ ...label, key, node, isGroup });
  }
  return labels;
}

/**
 * The possible positions of a label, in order of preference: to the right or left of its box, then inside
 * the box. The label of an open group is at the top of its frame. `hasRoom`: whether there is room for a
 * gradient after the label.
 * @param {string} text
 * @param {Box} box
 * @param {number} scale
 * @param {{isFrame: boolean, isGroup: boolean}} of
 */
function placesFor(text, box, scale, { isFrame, isGroup }) {
  const [size, height, margin] = [LETTERS.size / scale, LETTERS.line / scale, LETTERS.margin / scale];
  const plain = monoWidth(text, size) + 2 * margin;
  const y = box.y + (isFrame ? 0 : (box.height - height) / 2);
  const fits = plain <= box.width && (isFrame || height <= box.height);
  const beside = (/** @type {number} */ width, /** @type {boolean} */ hasRoom) => {
    const common = { text, size, width, height, y, isIn: false, hasRoom };
    return [
      { ...common, x: box.x + box.width + margin },
      { ...common, x: box.x - width - margin },
    ];
  };
  const x = isFrame ? box.x : box.x + (box.width - plain) / 2;
  const inside = { text, size, width: plain, height, y, x, isIn: true, hasRoom: fits && !isGroup };
  const behind = isGroup && !isFrame ? beside(plain + monoWidth(GRADIENT, size) + margin, true) : [];
  return [...behind, ...beside(plain, false), ...(fits || !isFrame ? [inside] : [])];
}

/**
 * The label of the active box, which is drawn even if it overlaps other boxes.
 * @param {Scene} scene
 * @param {GraphBox} box
 * @returns {Label}
 */
export function labelAcross({ index, layout, scale, say }, box) {
  const group = layout.groups[box.fold?.group ?? -1];
  const text = clipName(group === undefined ? nameOf(index, box) : titleOf(group, say), MOST);
  const place = /** @type {ReturnType<typeof placesFor>[number]} */ (
    placesFor(text, { ...box, height: box.body }, scale, ACROSS).at(-1)
  );
  const x = Math.max(0, Math.min(place.x, layout.width - place.width));
  return { ...place, x, key: box.key, node: box.node, isGroup: group !== undefined };
}

/**
 * A short name: the innermost part of a group's name, or a Node's name without "Backward0".
 * @param {string} text
 */
function shortOf(text) {
  return (text.split(" · ")[0] ?? text).replace(/Backward\d*$/, "");
}

/** The areas of the picture that labels and boxes occupy, stored by horizontal bands. */
class Fields {
  /** @param {number} height */
  constructor(height) {
    this.height = height;
    /** @type {Map<number, Box[]>} */
    this.fields = new Map();
  }

  /** @param {Box} box */
  *#fieldsOf({ y, height }) {
    for (let at = Math.floor(y / this.height); at <= Math.floor((y + height) / this.height); at += 1)
      yield at;
  }

  /** @param {Box} box */
  add(box) {
    for (const at of this.#fieldsOf(box)) addTo(this.fields, at, box);
  }

  /**
   * @param {Box} box
   * @param {Box} [home] area that a label may cover
   */
  meets(box, home) {
    for (const at of this.#fieldsOf(box))
      for (const other of this.fields.get(at) ?? [])
        if (
          !(home !== undefined && other.x === home.x && other.y === home.y) &&
          other.x < box.x + box.width &&
          box.x < other.x + other.width &&
          other.y < box.y + box.height &&
          box.y < other.y + other.height
        )
          return true;
    return false;
  }
}
