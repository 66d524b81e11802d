/**
 * Owns the drawing of the autograd graph at a step: Nodes, their saved tensors, edges, and the gradients on
 * the edges.
 */

import { shortened } from "../run/naming/short-names.js";
import { perRun } from "../run/per-run.js";
import { shortName } from "../run/values/format.js";
import { birthIn, gradientText, isOdd } from "../run/values/nonfinite.js";
import { wrongAt, wrongText } from "../run/values/wrong-gradients.js";
import { boxesOf } from "../layout/group-contents.js";
import { linesOf } from "../layout/union-graph.js";
import { monoWidth, sansWidth } from "../run/values/text-width.js";
import { drawZoomedOut, ZOOMED_OUT } from "./zoomed-out.js";
import { fitted, lettered, lettersOf } from "./fitted.js";
import { foldedBox, framesOf } from "./group.js";
import { bucket } from "./bucket.js";
import { cutBelow } from "./cut.js";
import { marksOf } from "./box-marks.js";
import { tagsBelow, widthBelow } from "./node-tags.js";
import { pocketShape } from "./pocket.js";
import { isThere, isVisible } from "../layout/visible.js";
import { arrow, hatch, pathOf, warningSign } from "./shapes.js";
import { el, patch } from "./svg.js";

/** @import {Box, Chain, Flow, GraphBox, GraphEdge, GraphLayout} from "../run/types.d.ts" */
/** @import {Index, NodeState, State} from "../run/types.d.ts" */
/** @import {Shape} from "./svg.js" */
/** @import {Say} from "../run/types.d.ts" */

/**
 * What is drawn. `view`: the visible part; null: the whole picture. `spare`: the free space at each side of
 * the picture. `least`: the minimum size of readable text, in units of the picture. `isSmall`: whether the
 * screen is small, which leaves room for fewer words. `cursor`: the box at the keyboard cursor. `hits`:
 * boxes that the search found. `chain`: the answer to "Why?". `over`: shapes drawn on top.
 * @typedef {{
 *   index: Index,
 *   layout: GraphLayout,
 *   state: State,
 *   say: Say,
 *   view: Box | null,
 *   scale: number,
 *   spare: number,
 *   least: number,
 *   isSmall: boolean,
 *   cursor: GraphBox | null,
 *   hits: Set<string>,
 *   chain: Chain | undefined,
 *   over: Shape[],
 * }} Scene
 */

/** Sizes in picture units: the margin at each side of a Node's text, and the sizes of text. */
const INSET = 12;
const NODE = { name: 15, line: 12.8, chip: 14 };
/** Sizes in picture units of the warning sign before a Node's second line of text. */
const SIGN = { size: 13, width: 18 };

/**
 * Draws the graph at a step into `root`.
 * @param {SVGSVGElement} root
 * @param {Scene} scene
 */
export function drawGraph(root, scene) {
  if (scene.scale < ZOOMED_OUT.plain) return drawZoomedOut(root, scene);
  patch(root, graphShapes(scene));
}

/**
 * The shapes of the graph at a step at a readable scale.
 * @param {Scene} scene
 */
export function graphShapes(scene) {
  const { layout, state, view } = scene;
  const boxes = layout.boxes.filter((box) => isVisible(view, box) && isThere(state, box));
  const edges = layout.edges.filter((edge) => isVisible(view, extentOf(edge)) && state.nodes.has(edge.node));
  return [
    hatch("hatch"),
    el("g", { key: "frames" }, framesOf(scene)),
    el(
      "g",
      { key: "edges" },
      edges.map((edge) => edgeShape(scene, edge)),
    ),
    el(
      "g",
      { key: "nodes" },
      boxes.map((box) => shapeOf(scene, box)),
    ),
    el("g", { key: "chips" }, chips(scene, boxes, edges)),
    marksOf(scene, boxes),
    el("g", { key: "over" }, scene.over),
  ];
}

/**
 * @param {Scene} scene
 * @param {GraphBox} box
 * @returns {Shape}
 */
function shapeOf(scene, box) {
  if (box.fold !== null) return foldedBox(scene, box, box.fold);
  return box.shape === "node" ? nodeBox(scene, box) : bucket(scene, box);
}

/** The smallest box that contains an edge. */
const extentOf = perRun((/** @type {GraphEdge} */ edge) => {
  const [xs, ys] = [edge.points.map(([x]) => x), edge.points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
});

/**
 * The gradient that is shown on an edge. For an edge that stands for several merged edges, it is the latest
 * of their gradients.
 * @param {State} state
 * @param {GraphEdge} edge
 * @returns {Flow | undefined}
 */
function flowOn(state, { key, merged }) {
  return merged.length === 0 ? state.arrived(key) : state.arrivedLast(merged);
}

/** The maximum number of characters for a wrong gradient and the correct gradient together, on an edge. */
const MOST_WRONG = 18;

/**
 * The label of a gradient on an edge, and whether the gradient is wrong.
 * @param {Scene} scene
 * @param {Flow} flow
 * @param {number} [most]
 */
function labelOf({ index, state }, { gradient }, most) {
  const wrong = wrongAt(index, state).sent(gradient);
  return wrong === null
    ? { text: gradientText(index, gradient, most), isWrong: isOdd(index, gradient) }
    : { text: wrongText(wrong, most ?? MOST_WRONG), isWrong: true };
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Flow} flow
 */
function isWrongFlow(index, state, { gradient }) {
  return isOdd(index, gradient) || wrongAt(index, state).sent(gradient) !== null;
}

/**
 * @param {Scene} scene
 * @param {GraphEdge} edge
 * @returns {Shape}
 */
function edgeShape({ index, state, chain }, edge) {
  const end = /** @type {[number, number]} */ (edge.points.at(-1));
  const ghost = state.nodes.get(edge.node)?.freed === true;
  const flow = flowOn(state, edge);
  const isWrong = flow !== undefined && isWrongFlow(index, state, flow);
  const keys = edge.merged.length === 0 ? [edge.key] : edge.merged;
  const isChained = keys.some((key) => chain?.gradients.has(key));
  const look = `${flow ? (flow.fresh ? " flow" : " flowed") : ""}${isWrong ? " wrong" : ""}${isChained ? " chained" : ""}`;
  if (edge.to === null) return noneEdge(edge, end, ghost);
  return el(
    "g",
    { key: edge.key, class: `edge${ghost ? " ghost" : ""}${look}`, "data-edge": edge.key },
    el("path", {
      class: "edge-line",
      d: pathOf(edge.points.map(([x, y], at) => (at >= edge.points.length - 1 ? [x, y + 8] : [x, y]))),
    }),
    edge.merged.length > 1 &&
      el("text", { class: "edge-count", x: end[0] + 9, y: end[1] + 22 }, `×${edge.merged.length}`),
    arrow(end[0], end[1], flow?.fresh ? 9 : 6, "up"),
  );
}

/**
 * @param {GraphEdge} edge
 * @param {[number, number]} end
 * @param {boolean} ghost
 * @returns {Shape}
 */
function noneEdge(edge, [x, y], ghost) {
  const cy = y - 10;
  return el(
    "g",
    { key: edge.key, class: `edge none${ghost ? " ghost" : ""}`, "data-edge": edge.key },
    el("path", { class: "edge-line", d: pathOf(edge.points) }),
    el("circle", { class: "none-sign", cx: x, cy, r: 7 }),
    el("path", { class: "none-sign", d: `M${x - 5},${cy + 5} l10,-10` }),
    el("text", { class: "none-word", x, y: cy - 12 }, "None"),
  );
}

/**
 * @param {Scene} scene
 * @param {GraphBox} box
 * @returns {Shape}
 */
function nodeBox(scene, box) {
  const { index, layout, state, say } = scene;
  const { first, apart } = linesOf(layout.measures).node;
  const node = /** @type {NodeState} */ (state.nodes.get(box.node));
  const birth = birthAt(scene, box.node);
  const look = `${birth ? " odd" : ""}${node.active ? " active" : ""}${node.ran ? " ran" : ""}${node.freed ? " ghost" : ""}${node.is_new ? " new" : ""}`;
  const room = box.width - 2 * INSET;
  const name = shortName(index.nodes[box.node]?.name ?? "");
  const title = fitted(name, { size: NODE.name, room }, lettersOf(scene));
  const line = secondLine(scene, node, room);
  const saved = index.saved_of[box.node] ?? [];
  return el(
    "g",
    { key: box.key, class: `node${look}`, "data-node": box.node, "data-box": box.key },
    el("rect", { class: "node-box", x: box.x, y: box.y, width: box.width, height: box.body, rx: 9 }),
    title.text !== name && el("title", {}, name),
    lettered({ class: "node-name", x: box.x + INSET, y: box.y + first }, title),
    birth && warningSign(box.x + INSET, box.y + first + apart - 11, SIGN.size),
    lettered(
      { class: "node-line", x: box.x + INSET + (birth ? SIGN.width : 0), y: box.y + first + apart },
      line,
    ),
    box.pockets.map((pocket) => {
      const savedSlot = saved.find((slot) => slot.id === pocket.id);
      return savedSlot ? pocketShape(pocket, savedSlot, scene) : null;
    }),
    saved.length > box.pockets.length &&
      lettered(
        { key: "more", class: "node-line", x: box.x + INSET, y: box.y + box.body - 9 },
        fitted(
          say("more", { count: saved.length - box.pockets.length }),
          { size: NODE.line, room },
          lettersOf(scene),
        ),
      ),
    cutBelow(scene, box),
    tagsBelow(box, node.labels, scene),
  );
}

/**
 * The first NaN or infinity of the run, if a given Node produced it in this step or an earlier one;
 * otherwise null.
 * @param {Scene} scene
 * @param {number} node
 */
function birthAt({ index, state }, node) {
  const birth = birthIn(index);
  return birth !== null && birth.node === node && birth.tick <= state.tick ? birth : null;
}

/**
 * The second line of a Node's text: the line of code that created the Node, and the function if there is
 * space.
 * @param {Scene} scene
 * @param {NodeState} node
 * @param {number} room
 */
function secondLine(scene, node, room) {
  const { index, say, isSmall } = scene;
  const made_by = index.nodes[node.id]?.made_by ?? null;
  const stop = made_by === null ? undefined : index.stops[index.stop_of.get(made_by) ?? -1];
  const line = stop?.place ?? 0;
  // without the variable's function, which the name tag already shows
  const name = shortened(index, node.labels[0] ?? "", 14).split(" · ")[0] ?? "";
  const letters = lettersOf(scene);
  const birth = birthAt(scene, node.id);
  if (birth !== null) {
    const place = { size: NODE.line, room: room - SIGN.width, isSans: true };
    const { value } = birth;
    const texts = [say("graph-line-odd", { line, value }), say("graph-odd", { value })];
    return fitted(texts.find((text) => sansWidth(text, NODE.line) <= place.room) ?? value, place, letters);
  }
  const texts = [
    ...(node.freed ? [say("graph-freed", { line })] : []),
    ...(node.freed || name === "" || isSmall ? [] : [say("graph-line-of", { line, name })]),
    say("graph-line", { line }),
  ].map((text) => ({ text, fitted: fitted(text, { size: NODE.line, room, isSans: true }, letters) }));
  return (
    texts.find(({ text, fitted }) => text === fitted.text) ??
    /** @type {typeof texts[number]} */ (texts.at(-1))
  ).fitted;
}

/**
 * @param {Scene} scene
 * @param {GraphBox[]} boxes
 * @param {GraphEdge[]} edges
 */
function chips(scene, boxes, edges) {
  const { layout, state } = scene;
  const size = Math.max(NODE.chip, scene.least);
  const shapes = [];
  for (const edge of edges) {
    const flow = edge.to === null ? undefined : flowOn(state, edge);
    if (flow) shapes.push(chip(scene, edge.key, edge.chip, flow, { size }));
  }
  /** @type {Map<string, Flow | undefined>} */
  const rootFlows = new Map();
  for (const node of state.roots)
    for (const { key } of boxesOf(layout, node))
      rootFlows.set(key, rootFlows.get(key) ?? state.arrived(`root${node}`));
  for (const box of boxes) {
    const flow = box.shape === "bucket" ? undefined : rootFlows.get(box.key);
    if (!flow) continue;
    const tags = widthBelow(box, state.nodes.get(box.node)?.labels ?? [], scene);
    // the gradient's chip is placed next to the name tags, which do not move
    const most = Math.min(16, Math.floor((box.width - INSET - tags - 14) / monoWidth("0", size)));
    const x = box.x + INSET + (monoWidth(labelOf(scene, flow, most).text, size) + 14) / 2;
    const y = box.y + box.body + linesOf(layout.measures).below.root;
    const shape = chip(scene, `root${box.node}`, [x, y], flow, { size, most });
    shapes.push(
      el(
        "g",
        { key: `r${box.node}`, class: flow.fresh ? "flow" : "flowed" },
        arrow(x, box.y + box.body + 1, 7, "up"),
        shape,
      ),
    );
  }
  return shapes;
}

/**
 * @param {Scene} scene
 * @param {string} key
 * @param {[number, number]} at
 * @param {Flow} flow
 * @param {{size: number, most?: number}} letters `most`: maximum length of the value
 * @returns {Shape}
 */
function chip(scene, key, [x, y], flow, { size, most }) {
  const { text, isWrong } = labelOf(scene, flow, most);
  const width = monoWidth(text, size) + 14;
  return el(
    "g",
    { key, class: `chip${flow.fresh ? " fresh" : ""}${isWrong ? " wrong" : ""}`, "data-gradient": key },
    el("title", {}, labelOf(scene, flow, 400).text),
    el("rect", { x: x - width / 2, y: y - 12, width, height: 24, rx: 12 }),
    el("text", { x, y: y + 4.5 }, text),
  );
}
