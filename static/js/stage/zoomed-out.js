/**
 * Draws a graph at a scale that is too small to read the contents of boxes. Boxes are drawn without
 * contents, with labels next to them. At an even smaller scale only groups are drawn.
 */

import { perRun } from "../run/per-run.js";
import { boxesOf, groupContentsAt, isHere } from "../layout/group-contents.js";
import { largestGradient } from "./gradient-size.js";
import { labelAcross, labelsOf } from "./zoomed-labels.js";
import { marksOf } from "./box-marks.js";
import { monoWidth } from "../run/values/text-width.js";
import { pathOf } from "./shapes.js";
import { lookOfUnreached } from "../layout/unreached.js";
import { isThere, isVisible } from "../layout/visible.js";
import { el, patch } from "./svg.js";

/** @import {GraphBox, GraphEdge, GraphFrame, State} from "../run/types.d.ts" */
/** @import {Label} from "./zoomed-labels.js" */
/** @import {Scene} from "./graph-picture.js" */
/** @import {Shape} from "./svg.js" */

/**
 * Two scales of a graph: below `plain`, boxes are drawn without contents, and below `groups`, open groups
 * are drawn without the boxes in them.
 */
export const ZOOMED_OUT = { plain: 0.66, groups: 0.12 };

/**
 * @param {SVGSVGElement} root
 * @param {Scene} scene
 */
export function drawZoomedOut(root, scene) {
  const { layout, view, state, scale } = scene;
  const isBare = scale < ZOOMED_OUT.groups && layout.frames.length > 0;
  const boxes = layout.boxes.filter(
    (box) => (!isBare || box.around < 0 || box.fold !== null) && isVisible(view, box) && isThere(state, box),
  );
  const frames = layout.frames
    .filter((frame) => isVisible(view, frame) && isBorn(scene, layout.groups[frame.group]?.first ?? -1))
    .sort((a, b) => a.group - b.group);
  const edges = isBare ? [] : layout.edges.filter((edge) => edge.to !== null && isBorn(scene, edge.node));
  const flows = edges.filter(
    (edge) => (edge.merged.length === 0 ? state.arrived(edge.key) : state.arrivedLast(edge.merged))?.fresh,
  );
  patch(root, [
    ...frames.map((frame) =>
      frameOf(layout.groups[frame.group]?.key ?? "", frame, isBare && isActiveIn(scene, frame)),
    ),
    el("path", { key: "edges", class: "zoomed-out-edges", d: edges.map(lineOf).join("") }),
    el("path", { key: "flows", class: "zoomed-out-flows", d: flows.map(lineOf).join("") }),
    ...boxes.map((box) => boxShape(box, lookOf(scene, box), layout.groups[box.fold?.group ?? -1]?.key ?? "")),
    el("g", { key: "labels" }, labels(scene, boxes, isBare)),
    marksOf(scene, boxes),
    el("g", { key: "over" }, scene.over),
  ]);
}

/**
 * @param {Scene} scene
 * @param {GraphBox[]} boxes
 * @param {boolean} isBare
 * @returns {Shape[]}
 */
function labels(scene, boxes, isBare) {
  const shown = new Map(boxes.map((box) => [box.key, box]));
  const written = labelsOf(scene).filter(
    (label) =>
      (label.isGroup || !isBare) &&
      (shown.has(label.key) || (label.key.startsWith("f") && isBorn(scene, label.node))) &&
      isVisible(scene.view, label),
  );
  const keys = new Set(written.map((label) => label.key));
  for (const box of boxes)
    if (!keys.has(box.key) && lookOf(scene, box).startsWith(" active")) written.push(labelAcross(scene, box));
  return written.map((label) => labelShape(scene, label, shown.get(label.key)));
}

/**
 * Draws a label. The label of a group is followed by the size of the gradients that reached the group.
 * @param {Scene} scene
 * @param {Label} label
 * @param {GraphBox} [box]
 * @returns {Shape}
 */
function labelShape(scene, { key, text, x, y, height, size, hasRoom }, box) {
  const value = box?.fold == null || !hasRoom ? "" : largestGradient(scene.layout, scene.state, box);
  const look = { "font-size": size, "stroke-width": 0.24 * size };
  return el(
    "g",
    { key, class: `zoomed-out-label${box === undefined ? " frame" : lookOf(scene, box)}` },
    el("text", { x: x + 0.4 * size, y: y + 0.78 * height, ...look }, text),
    value !== "" &&
      el(
        "text",
        { class: "zoomed-out-gradient", x: x + monoWidth(text, size) + size, y: y + 0.78 * height, ...look },
        `∇ ${value}`,
      ),
  );
}

/**
 * Whether the running Node is in an open group.
 * @param {Scene} scene
 * @param {GraphFrame} frame
 */
function isActiveIn({ layout, state }, frame) {
  if (state.stop.node === null) return false;
  return boxesOf(layout, state.stop.node).some((box) => {
    let group = box.around;
    while (group >= 0 && group !== frame.group) group = layout.groups[group]?.parent ?? -1;
    return group === frame.group;
  });
}

/**
 * @param {Scene} scene
 * @param {number} node
 */
function isBorn({ index, state }, node) {
  return (index.nodes[node]?.born ?? Infinity) <= state.tick;
}

const lineOf = perRun((/** @type {GraphEdge} */ edge) => pathOf(edge.points));

/**
 * @param {string} key
 * @param {GraphFrame} frame
 * @param {boolean} isActive
 * @returns {Shape}
 */
function frameOf(key, { x, y, width, height }, isActive) {
  return el("rect", {
    key: `f${key}`,
    class: `zoomed-out-frame fold${isActive ? " active" : ""}`,
    x,
    y,
    width,
    height,
    rx: 10,
    "data-fold": key,
  });
}

/** The shapes already described for each box, by look. */
const shapesOf = perRun((/** @type {GraphBox} */ _) => /** @type {Map<string, Shape>} */ (new Map()));

/**
 * Describes a box. For the same box and look it returns the same object, so that `patch` skips the box.
 * @param {GraphBox} box
 * @param {string} look
 * @param {string} groupKey of the group that the box represents
 * @returns {Shape}
 */
function boxShape(box, look, groupKey) {
  const shapes = shapesOf(box);
  const shape =
    shapes.get(look) ??
    el("rect", {
      key: box.key,
      class: `zoomed-out-box ${box.shape}${look}`,
      x: box.x,
      y: box.y,
      width: box.width,
      height: box.body,
      rx: 9,
      "data-box": box.key,
      "data-fold": box.fold === null ? null : groupKey,
    });
  shapes.set(look, shape);
  return shape;
}

/**
 * @param {Scene} scene
 * @param {GraphBox} box
 */
function lookOf({ index, state }, box) {
  if (box.fold !== null) {
    const { active, freed, stale, is_new } = groupContentsAt(index, state, box.fold);
    return `${active ? " active" : is_new ? " new" : ""}${stale ? " stale" : ""}${freed ? " ghost" : ""}`;
  }
  const stale = (index.saved_of[box.node] ?? []).some((saved) => isStale(state, saved.id));
  const isFreed = (index.nodes[box.node]?.freed ?? Infinity) <= state.tick;
  const born = index.nodes[box.node]?.born ?? 0;
  const isNew = born > state.before && born <= state.tick;
  const isActive = state.stop.node === box.node && isHere(index, state, box, box.node);
  return `${isActive ? " active" : isNew ? " new" : ""}${stale ? " stale" : ""}${isFreed ? " ghost" : ""}${lookOfUnreached(index, state, box)}`;
}

/**
 * @param {State} state
 * @param {number} saved
 */
function isStale(state, saved) {
  const look = state.saved.get(saved);
  return look === "stale" || look === "stale-freed";
}
