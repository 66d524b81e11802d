/**
 * Owns the drawing of a graph at a small scale, where text cannot be read: plain boxes, at a smaller one
 * groups alone.
 */

import { perRun } from "../run/per-run.js";
import { groupContentsAt } from "../layout/group-contents.js";
import { marksOf } from "./box-marks.js";
import { pathOf } from "./shapes.js";
import { isVisible } from "./viewport.js";
import { el, patch } from "./svg.js";

/** @import {GraphBox, GraphEdge, State} from "../run/types.d.ts" */
/** @import {Scene} from "./graph-picture.js" */
/** @import {Shape} from "./svg.js" */

/** Scales below which boxes are plain, and below which a frame is drawn without its contents. */
export const ZOOMED_OUT = { plain: 0.35, groups: 0.12 };

/**
 * @param {SVGSVGElement} root
 * @param {Scene} scene
 */
export function drawZoomedOut(root, scene) {
  const { layout, view, state, scale } = scene;
  const isBare = scale < ZOOMED_OUT.groups && layout.frames.length > 0;
  const boxes = layout.boxes.filter(
    (box) =>
      (!isBare || box.around < 0 || box.fold !== null) && isVisible(view, box) && isThere(scene, box.node),
  );
  const frames = layout.frames
    .filter((frame) => isVisible(view, frame) && isThere(scene, layout.groups[frame.group]?.first ?? -1))
    .sort((a, b) => a.group - b.group);
  const edges = isBare ? [] : layout.edges.filter((edge) => edge.to !== null && isThere(scene, edge.node));
  const flows = edges.filter(
    (edge) => (edge.merged.length === 0 ? state.arrived(edge.key) : state.arrivedLast(edge.merged))?.fresh,
  );
  patch(root, [
    ...frames.map((frame) => frameOf(layout.groups[frame.group]?.key ?? "", frame)),
    el("path", { key: "edges", class: "zoomed-out-edges", d: edges.map(lineOf).join("") }),
    el("path", { key: "flows", class: "zoomed-out-flows", d: flows.map(lineOf).join("") }),
    ...boxes.map((box) => boxShape(box, lookOf(scene, box))),
    marksOf(scene, boxes),
    el("g", { key: "over" }, scene.over),
  ]);
}

/**
 * @param {Scene} scene
 * @param {number} node
 */
function isThere({ index, state }, node) {
  return (index.nodes[node]?.born ?? Infinity) <= state.tick;
}

const lineOf = perRun((/** @type {GraphEdge} */ edge) => pathOf(edge.points));

/**
 * @param {string} key
 * @param {import("../run/types.d.ts").GraphFrame} frame
 * @returns {Shape}
 */
function frameOf(key, { x, y, width, height }) {
  return el("rect", {
    key: `f${key}`,
    class: "zoomed-out-frame fold",
    x,
    y,
    width,
    height,
    rx: 10,
    "data-fold": key,
  });
}

/** A box's shapes by its look. */
const shapesOf = perRun((/** @type {GraphBox} */ _) => /** @type {Map<string, Shape>} */ (new Map()));

/**
 * Returns the same shape for the same look, so that `patch` skips it.
 * @param {GraphBox} box
 * @param {string} look
 * @returns {Shape}
 */
function boxShape(box, look) {
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
    const { active, freed, stale } = groupContentsAt(index, state, box.fold);
    return `${active ? " active" : ""}${stale ? " stale" : ""}${freed ? " ghost" : ""}`;
  }
  const stale = (index.saved_of[box.node] ?? []).some((saved) => isStale(state, saved.id));
  const isFreed = (index.nodes[box.node]?.freed ?? Infinity) <= state.tick;
  return `${state.stop.node === box.node ? " active" : ""}${stale ? " stale" : ""}${isFreed ? " ghost" : ""}`;
}

/**
 * @param {State} state
 * @param {number} saved
 */
function isStale(state, saved) {
  return state.saved.get(saved) === "stale";
}
