/** Owns the entries of the legend: the shapes and line styles of the pictures, with their names. */

import { h } from "../../../vendor/ui.js";
import { say } from "../../state/words.js";

/** @import {VNode} from "../../../vendor/ui.js" */

/** @type {[string, () => VNode | VNode[]][]} */
const ENTRIES = [
  ["leaf", () => h("rect", { class: "tensor-card", x: 2, y: 3, width: 30, height: 18, rx: 1 })],
  ["result", () => h("rect", { class: "tensor-card", x: 2, y: 3, width: 30, height: 18, rx: 9 })],
  ["plain", () => h("rect", { class: "tensor-card", x: 2, y: 3, width: 30, height: 18, rx: 5 })],
  ["pocket", () => h("path", { class: "pocket-line filled", d: "M4,3 h20 l6,6 v12 h-26 z M24,3 v6 h6" })],
  [
    "stale",
    () => [
      h("path", { class: "pocket-fill", d: "M4,3 h20 l6,6 v12 h-26 z" }),
      h("path", { class: "pocket-stripes", d: "M6,19 l13,-14 M13,20 l13,-13 M21,20 l8,-8" }),
      h("path", { class: "pocket-line", d: "M4,3 h20 l6,6 v12 h-26 z" }),
    ],
  ],
  [
    "version",
    () => [h("rect", { x: 2, y: 3, width: 30, height: 18, rx: 9 }), h("text", { x: 17, y: 16.5 }, "v0")],
  ],
  ["written", () => h("rect", { x: 7, y: 3, width: 18, height: 18 })],
  [
    "edge",
    () => [
      h("path", { class: "edge-line", d: "M2,12 h24" }),
      h("path", { class: "arrow", d: "M33,12 l-9,-5 v10 z" }),
    ],
  ],
  [
    "window",
    () => [
      h("rect", { class: "window-line", x: 16, y: 2, width: 17, height: 20, rx: 4 }),
      h("path", { class: "window-curve", d: "M0,12 h8" }),
      h("path", { class: "arrow", d: "M15,12 l-8,-4.5 v9 z" }),
    ],
  ],
  [
    "link",
    () => [
      h("path", { class: "link-line", d: "M1,12 h22" }),
      h("path", { class: "arrow", d: "M33,12 l-9,-5.5 v11 z" }),
    ],
  ],
  [
    "flow",
    () => [
      h("path", { class: "edge-line", d: "M2,12 h20" }),
      h("path", { class: "arrow", d: "M33,12 l-13,-8 v16 z" }),
    ],
  ],
  [
    "view",
    () => [
      h("path", { d: "M8,20 h14 q5,0 5,-5 v-4 q0,-5 -5,-5 h-6" }),
      h("path", { class: "view-diamond", d: "M7,6 l5,-5 l5,5 l-5,5 z" }),
    ],
  ],
  [
    "counter",
    () => [
      h("path", { class: "counter-string", d: "M17,4 V20" }),
      h("rect", { x: 9, y: 0, width: 16, height: 8, rx: 4 }),
      h("rect", { x: 9, y: 16, width: 16, height: 8, rx: 4 }),
    ],
  ],
  [
    "warning",
    () => [
      h("path", { class: "flag-shape", d: "M8,4 L16,20 H0 z" }),
      h("path", { class: "flag-mark", d: "M8,9.5 v5 m0,2.4 v0.5" }),
      h(
        "g",
        { class: "flag hint" },
        h("circle", { class: "flag-shape", cx: 26, cy: 12, r: 7.5 }),
        h("path", { class: "flag-mark", d: "M26,11.4 v4.5 m0,-8.4 v0.5" }),
      ),
    ],
  ],
  [
    "unread",
    () => [
      h("rect", { x: 2, y: 3, width: 30, height: 18 }),
      h("path", { d: "M5,19 l14,-14 M13,19 l14,-14 M21,19 l9,-9" }),
    ],
  ],
  [
    "wrong",
    () => [h("rect", { x: 0, y: 3, width: 34, height: 18, rx: 9 }), h("text", { x: 17, y: 16.5 }, "1≠4")],
  ],
  [
    "unreached",
    () =>
      h(
        "g",
        { class: "node unreached" },
        h("path", { class: "node-box", d: "M2,1 h30 l-4,12 h-22 z" }),
        h("path", { class: "cut-line", d: "M17,13 V17" }),
        h("path", { class: "cut-sign", d: "M9,20 l16,-4 M9,24 l16,-4" }),
      ),
  ],
  [
    "clash",
    () => [h("rect", { x: 8, y: 3, width: 18, height: 18, rx: 2 }), h("text", { x: 17, y: 16.5 }, "3")],
  ],
  ["ghost", () => h("rect", { class: "node-box", x: 2, y: 3, width: 30, height: 18, rx: 4 })],
];

/**
 * The entries of the legend: each sign with its name.
 * @param {{signs?: Set<string>}} props `signs`: names of the signs; undefined: all signs
 */
export function LegendEntries({ signs }) {
  return ENTRIES.filter(([name]) => signs?.has(name) ?? true).map(([name, shape]) =>
    h(
      "div",
      { class: "legend-entry", key: name },
      h(
        "svg",
        { width: 32, height: 23, viewBox: "0 0 34 24", class: `legend-${name}`, "aria-hidden": "true" },
        shape(),
      ),
      h("span", null, say(`legend-${name}`)),
    ),
  );
}
