/**
 * Draws the dotted lines from stale saved tensors in the graph to their storages in memory, across both
 * pictures.
 */

import { recordsOf } from "../run/lookups.js";
import { arrow } from "./shapes.js";
import { el, patch } from "./svg.js";

/** @import {Index, State} from "../run/types.d.ts" */
/** @import {Shape} from "./svg.js" */

const MOST = 3;

/**
 * Draws the lines over the element `host`, in its pixel coordinates. A line of which one end is scrolled out
 * of sight is not drawn.
 * @param {SVGSVGElement} svg
 * @param {HTMLElement} host
 * @param {State | null} state
 * @param {Index | null} index
 */
export function drawLinks(svg, host, state, index) {
  const stale = index === null || state === null ? [] : staleTensors(index, state);
  if (stale.length === 0) return patch(svg, []);
  const frame = host.getBoundingClientRect();
  /** @type {Shape[]} */
  const links = [];
  for (const saved of stale) {
    if (links.length === MOST) break;
    const from = host.querySelector(`[data-saved="${saved.id}"] .pocket-line`);
    const to = host.querySelector(`[data-row="s${saved.geometry.storage}"]`);
    const cell = to?.querySelector("[data-cell], .summary-box");
    if (from && to && cell && isVisible(from) && isVisible(cell))
      links.push(link(saved.id, links.length, frame, from, to, cell));
  }
  patch(svg, links);
}

/**
 * The saved tensors that are stale, oldest first.
 * @param {Index} index
 * @param {State} state
 */
export function staleTensors(index, state) {
  return recordsOf(index.lookups.modified().upTo(state.tick))
    .filter(({ id }) => state.saved.get(id) === "stale")
    .sort((a, b) => a.id - b.id);
}

/**
 * Whether an element's lower edge is visible in the pane in which it scrolls.
 * @param {Element} element
 */
function isVisible(element) {
  const pane = element.closest(".picture")?.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  return (
    pane !== undefined &&
    box.bottom > pane.top &&
    box.bottom <= pane.bottom &&
    box.left >= pane.left &&
    box.right <= pane.right + 1
  );
}

/**
 * The path of a line: out of the saved tensor, past boxes and names to the space between the panes, and then
 * to the cells of the storage.
 * @param {number} id
 * @param {number} number
 * @param {DOMRect} frame
 * @param {Element} from
 * @param {Element} to
 * @param {Element} cell
 */
function link(id, number, frame, from, to, cell) {
  const pocket = from.getBoundingClientRect();
  const row = to.querySelector(".row-back")?.getBoundingClientRect() ?? to.getBoundingClientRect();
  const cells = cell.getBoundingClientRect();
  const node = from.closest("[data-node]")?.querySelector(".node-box")?.getBoundingClientRect() ?? pocket;
  const graph = from.closest(".pane")?.getBoundingClientRect() ?? node;
  const memory = to.closest(".pane")?.getBoundingClientRect() ?? row;
  const isBeside = memory.left >= graph.right - 1;
  const gutter = (isBeside ? (graph.right + memory.left) / 2 : graph.right - 8) - number * 4;
  const out = node.right + 8 + number * 4;
  const [leaving, start] = wayOut(from, pocket, node, number);
  const others = [...(from.closest("svg")?.querySelectorAll(".node-box, .name-tag rect") ?? [])]
    .map((element) => element.getBoundingClientRect())
    .filter((box) => box.right > out && box.width > 0);
  const across = wayBetween(others, { from: out, to: gutter, start });
  const x2 = cells.left + Math.min(cells.width, 60) / 2;
  const y2 = cells.bottom + 9;
  const along = row.bottom + 4 + number * 3;
  /** @type {[number, number][]} */
  const corners = [
    leaving,
    [leaving[0], start],
    [out, start],
    [out, across],
    [gutter, across],
    [gutter, along],
    [x2, along],
    [x2, y2 + 6],
  ];
  const points = corners.map(([x, y]) => /** @type {[number, number]} */ ([x - frame.left, y - frame.top]));
  const [first = [0, 0], ...rest] = points;
  const d = `M${first.join(",")} ${rounded(rest, first)}`;
  return el(
    "g",
    { key: `l${id}`, class: "link" },
    el("path", { class: "link-back", d }),
    el("path", { class: "link-line", d }),
    arrow(x2 - frame.left, y2 - frame.top, 6, "up"),
  );
}

/**
 * A line that begins at the lower edge of a saved tensor's box begins at this distance in px from the box's
 * right end.
 */
const INWARD = 16;

/**
 * The point at which a line begins, and the y coordinate at which it continues to the right. A line begins
 * at the right side of the saved tensor's box, or at the lower edge if the Node has another saved tensor to
 * the right.
 * @param {Element} from
 * @param {DOMRect} pocket
 * @param {DOMRect} node
 * @param {number} number
 * @returns {[[number, number], number]}
 */
function wayOut(from, pocket, node, number) {
  const others = [...(from.closest("[data-node]")?.querySelectorAll(".pocket-line") ?? [])].map((line) =>
    line.getBoundingClientRect(),
  );
  const isBeside = (/** @type {DOMRect} */ box) =>
    box.left >= pocket.right - 1 && box.top < pocket.bottom && box.bottom > pocket.top;
  if (!others.some(isBeside)) {
    const start = pocket.top + pocket.height / 2 + number * 3;
    return [[pocket.right, start], start];
  }
  const below = others.filter(({ top }) => top >= pocket.bottom - 1).map(({ top }) => top);
  return [[pocket.right - INWARD, pocket.bottom], (pocket.bottom + Math.min(node.bottom, ...below)) / 2];
}

/** The distance in px between a line and the boxes that it passes. */
const AIR = 6;

/**
 * The y coordinate nearest to `start` at which a horizontal line crosses no box; `start` if there is none.
 * @param {{left: number, right: number, top: number, bottom: number}[]} boxes
 * @param {{from: number, to: number, start: number}} line extent in px, and initial height
 */
export function wayBetween(boxes, { from, to, start }) {
  const isFree = (/** @type {number} */ y) =>
    boxes.every((box) => box.right <= from || box.left >= to || box.bottom + AIR <= y || box.top - AIR >= y);
  const isReached = (/** @type {number} */ y) =>
    boxes.every(
      (box) =>
        box.right <= from - AIR ||
        box.left >= from + AIR ||
        box.bottom <= Math.min(y, start) ||
        box.top >= Math.max(y, start),
    );
  const heights = [start, ...boxes.flatMap(({ top, bottom }) => [top - AIR, bottom + AIR])];
  const ways = heights.filter((y) => isFree(y) && isReached(y));
  return ways.reduce(
    (best, y) => (Math.abs(y - start) < Math.abs(best - start) ? y : best),
    ways[0] ?? start,
  );
}

/**
 * A path of straight segments with rounded corners.
 * @param {[number, number][]} points
 * @param {[number, number]} start
 */
function rounded(points, start) {
  let before = start;
  return points
    .map((point, at) => {
      const next = points[at + 1];
      const radius = next ? Math.min(9, distance(before, point) / 2, distance(point, next) / 2) : 0;
      const into = toward(point, before, radius);
      const out = next ? toward(point, next, radius) : point;
      before = point;
      return `L${into.join(",")} Q${point.join(",")} ${out.join(",")}`;
    })
    .join(" ");
}

/**
 * @param {[number, number]} a
 * @param {[number, number]} b
 */
function distance(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/**
 * @param {[number, number]} from
 * @param {[number, number]} to
 * @param {number} length
 * @returns {[number, number]}
 */
function toward(from, to, length) {
  const whole = distance(from, to) || 1;
  return [from[0] + ((to[0] - from[0]) * length) / whole, from[1] + ((to[1] - from[1]) * length) / whole];
}
