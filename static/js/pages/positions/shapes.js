/** Computes the position of a described shape, its colours, and the direction of its arrowhead. Pure. */

import { curvesOf } from "./paths.js";

/** @import {Shape} from "../../stage/svg.js" */
/** @import {Place} from "./figures.js" */
/** @import {Point} from "./paths.js" */

/** @param {Shape} shape */
export function linkOf({ tag, attributes }) {
  return { tag, classes: new Set(String(attributes.class ?? "").split(" ")) };
}

/** @param {Shape} shape */
export function isCurve({ attributes }) {
  return attributes.class === "name-line" || attributes.class === "window-curve";
}

/**
 * A colour of the style sheet as #rrggbb; "": none.
 * @param {string} value
 * @param {string} otherwise
 */
export function colour(value, otherwise) {
  if (value === "") return otherwise;
  const [, r = "", g = "", b = ""] = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(value) ?? [];
  if (r !== "") return `#${r}${r}${g}${g}${b}${b}`.toLowerCase();
  return /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : "";
}

/**
 * The opaque colour that looks the same as a translucent colour on white.
 * @param {string} full
 * @param {number} share the opacity
 */
export function onWhite(full, share) {
  if (full === "" || share >= 1) return full;
  const parts = [1, 3, 5].map((at) => Number.parseInt(full.slice(at, at + 2), 16));
  const mixed = parts.map((part) => Math.round(255 + (part - 255) * share));
  return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** @param {string} value */
export function dashOf(value) {
  const first = Number.parseFloat(value);
  return Number.isNaN(first) ? "solid" : first < 3 ? "dotted" : "dashed";
}

/**
 * @param {Shape} shape
 * @returns {Place}
 */
export function placeOf({ tag, attributes }) {
  const of = (/** @type {string} */ name) => Number(attributes[name] ?? 0);
  const r = of("r");
  return tag === "circle"
    ? { x: of("cx") - r, y: of("cy") - r, width: 2 * r, height: 2 * r }
    : { x: of("x"), y: of("y"), width: of("width"), height: of("height") };
}

/**
 * The path around a rectangle with rounded corners.
 * @param {Shape} shape
 */
export function aroundOf(shape) {
  const { x, y, width, height } = placeOf(shape);
  const r = Math.min(Number(shape.attributes.rx ?? 0), width / 2, height / 2);
  const [across, down] = [width - 2 * r, height - 2 * r];
  return `M${x + r},${y} h${across} q${r},0 ${r},${r} v${down} q0,${r} ${-r},${r} h${-across} q${-r},0 ${-r},${-r} v${-down} q0,${-r} ${r},${-r}`;
}

/**
 * The bounding box of a path.
 * @param {Shape} shape
 * @returns {Place}
 */
export function boundsOf({ attributes }) {
  const points = curvesOf(String(attributes.d)).flat();
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/**
 * The tip of an arrowhead, and the middle of the side opposite to the tip.
 * @param {Shape} shape
 */
export function headOf({ attributes }) {
  const [points = []] = curvesOf(String(attributes.d));
  const [tip = [0, 0], , , one = tip, , , other = tip] = points;
  return { tip, base: /** @type {Point} */ ([(one[0] + other[0]) / 2, (one[1] + other[1]) / 2]) };
}
