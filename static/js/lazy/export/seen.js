/**
 * Owns the visible pictures as one standalone SVG, which contains its fonts and has the colours of light
 * mode on white.
 */

import { embeddedFonts } from "./embedded-fonts.js";

/** @typedef {"graph" | "memory" | "both"} Which of the two pictures */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Edges in px on the screen */
/** @typedef {{content: string, edges: Edges}} Seen the drawn content, and its extent on the screen */
/** @typedef {{svg: string, width: number, height: number}} Picture a file with its size in px */

const SELECTORS = {
  graph: ".graph-pane .picture > svg, .picture > svg.graph",
  memory: ".memory-pane .picture > svg, .picture > svg.memory",
  both: ".picture > svg, .stage > svg.links",
};
/** The margin in px around an exported picture. */
const MARGIN = 16;

/**
 * CSS properties that a shape inherits. A property is copied to the exported shape only if its value differs
 * from the parent's value.
 */
const INHERITED = [
  ...["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap"],
  ...["stroke-linejoin", "stroke-opacity", "font-family", "font-size", "font-weight", "font-style"],
  ...["text-anchor", "dominant-baseline", "letter-spacing", "paint-order", "white-space"],
];
/**
 * CSS properties that are not inherited, with their initial values. A property is copied to the exported
 * shape unless it has its initial value.
 */
const INITIAL = { opacity: "1", "vector-effect": "none", transform: "none", "image-rendering": "auto" };
/** Matches the names of SVG attributes that are copied to an exported shape. */
const KEPT =
  /^(d|x|y|x1|y1|x2|y2|cx|cy|r|rx|ry|dx|dy|width|height|points|transform|viewBox|id|href|pattern\w+)$/;

/**
 * A copy of the part of the pictures that is visible on the screen; null: no picture is shown.
 * @param {Which} which
 * @returns {Seen | null}
 */
export function seen(which) {
  return inLight(() => drawn(which));
}

/**
 * The SVG file of a copied picture. `edges` may enclose the pictures of several steps, so that all of them
 * get the same size and position.
 * @param {Seen} seen
 * @param {Edges} [edges]
 * @returns {Promise<Picture>}
 */
export async function pictureOf({ content, edges: reached }, edges = reached) {
  const { left, top, right, bottom } = edges;
  const [width, height] = [Math.ceil(right - left) + 2 * MARGIN, Math.ceil(bottom - top) + 2 * MARGIN];
  const place = { x: left - MARGIN, y: top - MARGIN, width, height };
  const whole = element("svg", { viewBox: `${place.x} ${place.y} ${width} ${height}`, width, height });
  const style = element("style", {});
  style.textContent = await embeddedFonts();
  whole.append(style, element("rect", { ...place, fill: "#fff" }));
  const [begin = "", end = ""] = new XMLSerializer().serializeToString(whole).split(/(?=<\/svg>$)/);
  return { svg: `${begin}${content}${end}`, width, height };
}

/**
 * The edges of the smallest area that encloses all given areas.
 * @param {Edges[]} all at least one
 * @returns {Edges}
 */
export function around(all) {
  return {
    left: Math.min(...all.map(({ left }) => left)),
    top: Math.min(...all.map(({ top }) => top)),
    right: Math.max(...all.map(({ right }) => right)),
    bottom: Math.max(...all.map(({ bottom }) => bottom)),
  };
}

/**
 * Calls `read` with the page in light mode, then restores the theme. The browser does not paint the page in
 * between.
 * @template T
 * @param {() => T} read
 * @returns {T}
 */
function inLight(read) {
  const root = document.documentElement;
  const { theme } = root.dataset;
  root.dataset.theme = "light";
  root.classList.add("exported"); // turns off CSS transitions, which would delay the change of colours
  try {
    return read();
  } finally {
    root.classList.remove("exported");
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
  }
}

/**
 * @param {Which} which
 * @returns {Seen | null}
 */
function drawn(which) {
  const found = /** @type {SVGSVGElement[]} */ ([...document.querySelectorAll(SELECTORS[which])]);
  const parts = found.flatMap((svg) => {
    const edges = edgesOf(svg);
    return edges === null ? [] : [{ svg, edges }];
  });
  if (parts.length === 0) return null;
  const serializer = new XMLSerializer();
  const content = parts.map(({ svg, edges }) => serializer.serializeToString(copied(svg, edges))).join("");
  return { content, edges: around(parts.map(({ edges }) => edges)) };
}

/**
 * The edges of the visible part of a picture, without empty space; null: nothing of it is visible.
 * @param {SVGSVGElement} svg
 * @returns {Edges | null}
 */
function edgesOf(svg) {
  const pane = (svg.closest(".picture") ?? svg).getBoundingClientRect();
  const box = svg.getBBox();
  const toScreen = svg.getScreenCTM();
  if (toScreen === null || pane.width === 0 || box.width === 0 || box.height === 0) return null;
  const from = new DOMPoint(box.x, box.y).matrixTransform(toScreen);
  const to = new DOMPoint(box.x + box.width, box.y + box.height).matrixTransform(toScreen);
  const edges = {
    left: Math.max(pane.left, from.x - 2),
    top: Math.max(pane.top, from.y - 2),
    right: Math.min(pane.right, to.x + 2),
    bottom: Math.min(pane.bottom, to.y + 2),
  };
  return edges.right > edges.left && edges.bottom > edges.top ? edges : null;
}

/**
 * Copies a picture, cropped to the given edges, at its position on the screen.
 * @param {SVGSVGElement} svg
 * @param {Edges} edges
 */
function copied(svg, edges) {
  const toUnits = /** @type {DOMMatrix} */ (svg.getScreenCTM()).inverse();
  const from = new DOMPoint(edges.left, edges.top).matrixTransform(toUnits);
  const to = new DOMPoint(edges.right, edges.bottom).matrixTransform(toUnits);
  const part = element("svg", {
    x: edges.left,
    y: edges.top,
    width: edges.right - edges.left,
    height: edges.bottom - edges.top,
    viewBox: `${from.x} ${from.y} ${to.x - from.x} ${to.y - from.y}`,
  });
  const style = getComputedStyle(svg);
  for (const name of INHERITED) part.setAttribute(name, style.getPropertyValue(name));
  for (const child of svg.children) append(part, child, style);
  return part;
}

/**
 * Appends a copy of a shape to `parent`, with its computed styles as attributes.
 * @param {Element} parent
 * @param {Element} shape
 * @param {CSSStyleDeclaration} around
 */
function append(parent, shape, around) {
  const style = getComputedStyle(shape);
  if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return;
  const copy = element(shape.localName, {});
  for (const { name, value } of shape.attributes) if (KEPT.test(name)) copy.setAttribute(name, value);
  for (const name of INHERITED) {
    const value = style.getPropertyValue(name);
    if (value !== around.getPropertyValue(name)) copy.setAttribute(name, value);
  }
  for (const [name, initial] of Object.entries(INITIAL)) {
    const value = style.getPropertyValue(name);
    if (value !== initial && value !== "") copy.setAttribute(name, value);
  }
  for (const child of shape.childNodes) {
    if (child instanceof Element) append(copy, child, style);
    else if (child instanceof Text) copy.append(child.data);
  }
  parent.append(copy);
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
