/**
 * Owns the minimap of a graph that is larger than its pane. The minimap shows the viewport, the running Node
 * and stale saved tensors. Dragging on the minimap scrolls the pane.
 */

import { h, useEffect, useLayoutEffect, useRef, useState } from "../../../vendor/ui.js";
import { boxesOf } from "../../layout/group-contents.js";
import { recordsOf } from "../../run/lookups.js";

/** @import {Box, GraphBox, GraphLayout, Index, State} from "../../run/types.d.ts" */

/**
 * The width of the minimap in px, as in the style sheet. The minimap is as high as its pane, so a high graph
 * is compressed vertically, without changing the order of its boxes.
 */
const WIDTH = 46;
/** The space in px below the minimap. */
const FOOT = 8;

/**
 * @typedef {{
 *   host: {current: HTMLDivElement | null},
 *   index: Index,
 *   layout: GraphLayout,
 *   now: State,
 *   scale: number,
 *   room: string,
 * }} MinimapProps
 */

/** @param {MinimapProps} props */
export function Minimap({ host, index, layout, now, scale, room }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const [view, setView] = useState({ x: 0, y: 0, width: 0, height: 0 });
  const [across = 0, down = 0] = room.split(" ").map(Number);
  const isLarger = room !== "" && (layout.width * scale > across + 1 || layout.height * scale > down + 1);
  const height = Math.max(1, Math.min(down - FOOT, layout.height * scale));
  useEffect(() => {
    const element = host.current;
    if (!element || !isLarger) return undefined;
    const look = () => setView(viewportOf(element, layout, scale));
    element.addEventListener("scroll", look);
    look();
    return () => element.removeEventListener("scroll", look);
  }, [layout, scale, room, isLarger]);
  useLayoutEffect(() => {
    if (canvas.current) paint(canvas.current, index, layout, now);
  }, [layout, now, height, isLarger]);
  if (!isLarger) return h("div", { class: "minimap" });
  const px = (/** @type {Box} */ box) => ({
    left: `${(box.x / layout.width) * WIDTH}px`,
    top: `${(box.y / layout.height) * height}px`,
    width: `${Math.max(4, (box.width / layout.width) * WIDTH)}px`,
    height: `${Math.max(4, (box.height / layout.height) * height)}px`,
  });
  const go = (/** @type {PointerEvent} */ event) => {
    if (event.buttons !== 1 || !host.current || !canvas.current) return;
    const frame = canvas.current.getBoundingClientRect();
    const [x, y] = [
      ((event.clientX - frame.left) / frame.width) * layout.width,
      ((event.clientY - frame.top) / frame.height) * layout.height,
    ];
    host.current.scrollTo({ left: x * scale - across / 2, top: y * scale - down / 2, behavior: "instant" });
  };
  const press = (/** @type {PointerEvent} */ event) => {
    /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
    go(event);
  };
  return h(
    "div",
    { class: "minimap", "aria-hidden": "true", onPointerDown: press, onPointerMove: go },
    h("canvas", {
      ref: canvas,
      width: WIDTH * 2,
      height: Math.round(height * 2),
      style: { height: `${height}px` },
    }),
    h("div", { class: "minimap-view", style: px(view) }),
  );
}

/**
 * @param {HTMLElement} host
 * @param {{width: number, height: number}} layout
 * @param {number} scale
 * @returns {Box} in the picture's units
 */
function viewportOf(host, layout, scale) {
  const width = Math.min(layout.width, host.clientWidth / scale);
  const height = Math.min(layout.height, host.clientHeight / scale);
  return { x: host.scrollLeft / scale, y: host.scrollTop / scale, width, height };
}

/**
 * The colours of the minimap, by theme and contrast of the page.
 * @type {Map<string, Record<"leaf" | "node" | "freed" | "danger" | "flow", string>>}
 */
const colours = new Map();

/**
 * The colours of the minimap. The colours are read from the root element once per theme, because reading the
 * style of a new element would make the browser compute all styles twice.
 */
function coloursOf() {
  const { theme, contrast } = document.documentElement.dataset;
  const look = `${theme} ${contrast}`;
  const known = colours.get(look);
  if (known !== undefined) return known;
  const style = getComputedStyle(document.documentElement);
  const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`);
  const read = {
    ...{ leaf: colour("leaf"), node: colour("node"), freed: colour("freed") },
    ...{ danger: colour("danger"), flow: colour("flow") },
  };
  colours.set(look, read);
  return read;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {State} now
 */
function paint(canvas, index, layout, now) {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const [across, down] = [canvas.width / layout.width, canvas.height / layout.height];
  const fill = (/** @type {GraphBox} */ box, /** @type {number} */ least) => {
    const [width, height] = [Math.max(least, box.width * across), Math.max(least, box.height * down)];
    context.fillRect(
      (box.x + box.width / 2) * across - width / 2,
      (box.y + box.height / 2) * down - height / 2,
      width,
      height,
    );
  };
  context.clearRect(0, 0, canvas.width, canvas.height);
  const there = layout.boxes.filter((box) => (index.nodes[box.node]?.born ?? Infinity) <= now.tick);
  const { leaf, node, freed, danger, flow } = coloursOf();
  for (const box of there) {
    const isFreed = (index.nodes[box.node]?.freed ?? Infinity) <= now.tick;
    context.globalAlpha = isFreed ? 0.35 : 0.6;
    context.fillStyle = isFreed ? freed : box.shape === "bucket" ? leaf : node;
    fill(box, 1);
  }
  context.globalAlpha = 1;
  context.fillStyle = danger;
  for (const saved of recordsOf(index.lookups.modified().upTo(now.tick)))
    if (now.saved.get(saved.id) === "stale") for (const box of boxesOf(layout, saved.node)) fill(box, 7);
  context.fillStyle = flow;
  for (const box of now.stop.node === null
    ? []
    : boxesOf(layout, now.stop.node).filter((box) => !box.key.includes("@")))
    fill(box, 9);
}
