/**
 * Owns the small shapes that both pictures use: arrow heads, name tags, the pills with versions, and the
 * warning sign.
 */

import { monoWidth } from "../run/values/text-width.js";
import { el } from "./svg.js";

/** @import {Box} from "../run/types.d.ts" */
/** @import {Shape} from "./svg.js" */

/**
 * An arrow head with its tip at (x, y).
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {"up" | "right"} direction
 */
export function arrow(x, y, size, direction) {
  const d =
    direction === "up"
      ? `M${x},${y} l${size},${size * 1.7} h${-2 * size} Z`
      : `M${x},${y} l${-size * 1.7},${-size} v${2 * size} Z`;
  return el("path", { class: "arrow", d });
}

/**
 * A variable's name as a solid tag, in one or two lines.
 * @param {Box} box
 * @param {string[]} lines
 * @param {string} key
 * @param {string} [name] in full
 * @returns {Shape}
 */
export function tag({ x, y, width, height }, lines, key, name = "") {
  const middle = y + height / 2 + 4.8;
  return el(
    "g",
    { key, class: "name-tag", "data-name": name === "" ? null : name },
    name !== "" && lines.join("") !== name && el("title", {}, name),
    el("rect", { x, y, width, height, rx: 6 }),
    lines.map((line, number) =>
      el(
        "text",
        { key: `l${number}`, x: x + width / 2, y: middle + (number - (lines.length - 1) / 2) * 16 },
        line,
      ),
    ),
  );
}

/**
 * A pill with the value of a version counter. The right end of the pill is at `right`.
 * @param {number} right
 * @param {number} y
 * @param {string} text
 * @param {boolean} is_bumped
 * @returns {Shape}
 */
export function pill(right, y, text, is_bumped) {
  const width = monoWidth(text, 13) + 18;
  return el(
    "g",
    { key: "pill", class: `pill${is_bumped ? " bumped" : ""}`, "data-version": text },
    el("rect", { x: right - width, y, width, height: 22, rx: 11 }),
    el("text", { x: right - width / 2, y: y + 15.5 }, text),
  );
}

/**
 * A frame around a selected item.
 * @param {Box} box
 * @param {number} [margin]
 * @returns {Shape}
 */
export function frame({ x, y, width, height }, margin = 4) {
  return el("rect", {
    key: "frame",
    class: "chosen-frame",
    x: x - margin,
    y: y - margin,
    width: width + 2 * margin,
    height: height + 2 * margin,
    rx: 8,
  });
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @returns {Shape}
 */
export function warningSign(x, y, size) {
  const half = size / 2;
  return el(
    "g",
    { key: "warning", class: "warning-sign" },
    el("path", { class: "warning-shape", d: `M${x + half},${y} L${x + size},${y + size} H${x} Z` }),
    el("path", {
      class: "warning-mark",
      d: `M${x + half},${y + size * 0.38} v${size * 0.28} M${x + half},${y + size * 0.82} v0.6`,
    }),
  );
}

/**
 * The `d` attribute of an SVG path along cubic Bézier curves.
 * @param {[number, number][]} points
 */
export function pathOf(points) {
  const [first, ...rest] = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`);
  return `M${first} C${rest.join(" ")}`;
}

/**
 * The pattern of stripes that marks stale or wrong items, in addition to their colour.
 * @param {string} id of the pattern in the page; each picture has a separate pattern, because either picture
 *   may be hidden
 * @returns {Shape}
 */
export function hatch(id) {
  const line = el("path", { class: "hatch-line", d: "M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4" });
  return el(
    "defs",
    { key: "defs" },
    el("pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse" }, line),
  );
}
