/**
 * Owns the drawing of the autograd graph at a step: Nodes, their saved tensors, edges, and the gradients on
 * them.
 */

import { perRun } from "../run/per-run.js";
import { clipName, nested, shortName } from "../run/format.js";
import { boxesOf, isHere } from "../layout/group-contents.js";
import { bucketLabel, bucketLines, linesOf, pocketChip, pocketLabel } from "../layout/union-graph.js";
import { monoWidth } from "../run/text-width.js";
import { gradName, nameIn } from "../run/naming.js";
import { shown } from "../run/shown.js";
import { drawZoomedOut, ZOOMED_OUT } from "./zoomed-out.js";
import { foldedBox, framesOf } from "./group.js";
import { marksOf } from "./box-marks.js";
import { isVisible } from "../layout/visible.js";
import { arrow, pathOf, tag, warningSign } from "./shapes.js";
import { el, patch } from "./svg.js";

/** @import {Box, Flow, GraphBox, GraphEdge, GraphLayout, Index, NodeState, State} from "../run/types.d.ts" */
/** @import {Shape} from "./svg.js" */
/** @import {Say} from "../run/types.d.ts" */

/**
 * `view`: the visible part; null: all of it. `spare`: the room at each side of the picture. `isSmall`: larger
 * letters, so fewer words. `cursor`: the box at the graph's cursor. `hits`: boxes that the search found.
 * `over`: shapes drawn on top.
 * @typedef {{
 *   index: Index,
 *   layout: GraphLayout,
 *   state: State,
 *   say: Say,
 *   view: Box | null,
 *   scale: number,
 *   spare: number,
 *   isSmall: boolean,
 *   cursor: GraphBox | null,
 *   hits: Set<string>,
 *   over: Shape[],
 * }} Scene
 */

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
 * What the graph at a step is drawn of, where it is not drawn from afar.
 * @param {Scene} scene
 */
export function graphShapes(scene) {
  const { layout, state, view } = scene;
  const boxes = layout.boxes.filter((box) => isVisible(view, box) && state.nodes.has(box.node));
  const edges = layout.edges.filter((edge) => isVisible(view, extentOf(edge)) && state.nodes.has(edge.node));
  return [
    hatch(),
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
  return box.shape === "bucket" ? bucket(scene, box) : nodeBox(scene, box);
}

/** The box around an edge. */
const extentOf = perRun((/** @type {GraphEdge} */ edge) => {
  const [xs, ys] = [edge.points.map(([x]) => x), edge.points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
});

/**
 * The gradient that an edge shows. An edge that stands for several, merged by a fold, shows the latest one.
 * @param {State} state
 * @param {GraphEdge} edge
 * @returns {Flow | undefined}
 */
function flowOn(state, { key, merged }) {
  return merged.length === 0 ? state.arrived(key) : state.arrivedLast(merged);
}

/**
 * The label beside a gradient on an edge.
 * @param {Flow} flow
 * @param {number} [most]
 */
function shownValue({ gradient }, most) {
  return nested(gradient.value, gradient.shape, most);
}

/**
 * Stripes mark stale saved tensors: a second cue beside the colour.
 * @returns {Shape}
 */
function hatch() {
  const line = el("path", { class: "hatch-line", d: "M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4" });
  return el(
    "defs",
    { key: "defs" },
    el("pattern", { id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse" }, line),
  );
}

/**
 * @param {Scene} scene
 * @param {GraphEdge} edge
 * @returns {Shape}
 */
function edgeShape({ state }, edge) {
  const end = /** @type {[number, number]} */ (edge.points.at(-1));
  const ghost = state.nodes.get(edge.node)?.freed === true;
  const flow = flowOn(state, edge);
  const look = flow ? (flow.fresh ? " flow" : " flowed") : "";
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
  const look = `${node.active ? " active" : ""}${node.ran ? " ran" : ""}${node.freed ? " ghost" : ""}${node.is_new ? " new" : ""}`;
  const name = shortName(index.nodes[box.node]?.name ?? "");
  const saved = index.saved_of[box.node] ?? [];
  return el(
    "g",
    { key: box.key, class: `node${look}`, "data-node": box.node, "data-box": box.key },
    el("rect", { class: "node-box", x: box.x, y: box.y, width: box.width, height: box.body, rx: 9 }),
    el("text", { class: "node-name", x: box.x + 12, y: box.y + first }, name),
    el("text", { class: "node-line", x: box.x + 12, y: box.y + first + apart }, secondLine(scene, node)),
    box.pockets.map((pocket) => {
      const savedSlot = saved.find((slot) => slot.id === pocket.id);
      return savedSlot ? pocketShape({ ...pocket, y: pocket.y }, savedSlot, scene) : null;
    }),
    saved.length > box.pockets.length &&
      el(
        "text",
        { key: "more", class: "node-line", x: box.x + 12, y: box.y + box.body - 9 },
        say("more", { count: saved.length - box.pockets.length }),
      ),
    tagsBelow(box, linesOf(layout.measures).below.tags, node.labels, say),
  );
}

/**
 * @param {Scene} scene
 * @param {NodeState} node
 */
function secondLine({ index, say, isSmall }, node) {
  const made_by = index.nodes[node.id]?.made_by ?? null;
  const stop = made_by === null ? undefined : index.stops[index.stop_of.get(made_by) ?? -1];
  const line = stop?.line ?? 0;
  // the function of a variable stands on its tag
  const name = clipName(node.labels[0]?.split(" · ")[0] ?? "", 14);
  if (node.freed) return say("graph-freed", { line });
  return name === "" || isSmall ? say("graph-line", { line }) : say("graph-line-of", { line, name });
}

/**
 * @param {{id: number, x: number, y: number, width: number}} at
 * @param {Index["saved_tensors"][number]} saved
 * @param {Scene} scene
 * @returns {Shape}
 */
function pocketShape({ id, x, y, width }, saved, { index, layout, state, say, isSmall }) {
  const isTerse = isSmall || layout.measures.compact;
  const look = state.saved.get(id) ?? "current";
  const { height, first, apart } = linesOf(layout.measures).pocket;
  const fold = 13;
  const outline = `M${x},${y} h${width - fold} l${fold},${fold} v${height - fold} h${-width} Z`;
  const chip = pocketChip(saved);
  const isStale = look === "stale";
  return el(
    "g",
    { key: `p${id}`, class: `pocket ${look}`, "data-saved": id, "data-look": look },
    el("path", { class: "pocket-fill", d: outline }),
    isStale && el("path", { class: "pocket-hatch", d: outline }),
    el("path", { class: "pocket-line", d: outline }),
    el("path", { class: "pocket-line", d: `M${x + width - fold},${y} v${fold} h${fold}` }),
    el("text", { class: "pocket-name", x: x + 9, y: y + first }, pocketLabel(index, saved, state)),
    el(
      "text",
      { class: "pocket-state", x: x + 9, y: y + first + apart },
      pocketState(look, chip, isTerse ? (id) => (id === "saved-freed" ? say(id) : "") : say),
    ),
    isStale && !isTerse && warningSign(x + 9 + monoWidth(`${chip} `, 12.5), y + 31, 13),
    isStale &&
      el(
        "text",
        {
          class: "pocket-word",
          x: x + (isTerse ? 9 : 26) + monoWidth(`${chip} `, isSmall ? 15 : 12.5),
          y: y + first + apart,
        },
        say("saved-stale"),
      ),
  );
}

/**
 * @param {string} look
 * @param {string} chip
 * @param {Say} say
 */
function pocketState(look, chip, say) {
  if (look === "stale") return chip;
  if (look === "freed") return say("saved-freed");
  return `${chip} ${look === "current" ? `✓ ${say("saved-current")}` : `? ${say("saved-hidden")}`}`;
}

/**
 * The texts of the tags below a Node.
 * @param {string[]} labels
 * @param {Say} say
 */
function tagTexts(labels, say) {
  const shown = labels.slice(0, 2).map((label) => clipName(label, 12));
  return labels.length > 2 ? [...shown, say("more", { count: labels.length - 2 })] : shown;
}

/**
 * @param {GraphBox} box
 * @param {number} at below it
 * @param {string[]} labels
 * @param {Say} say
 */
function tagsBelow(box, at, labels, say) {
  const shown = tagTexts(labels, say);
  const shapes = [];
  let right = box.x + box.width - 8;
  for (const [number, label] of shown.entries()) {
    const width = monoWidth(label, 13) + 16;
    const middle = right - width / 2;
    shapes.push(
      el("path", {
        key: `a${number}`,
        class: "name-line",
        d: `M${middle},${box.y + box.body + at + 1} v${5 - at}`,
      }),
    );
    shapes.push(
      el("g", { key: `h${number}`, class: "name-arrow" }, arrow(middle, box.y + box.body + 1.5, 4, "up")),
    );
    shapes.push(
      tag(
        { x: right - width, y: box.y + box.body + at, width, height: 22 },
        [label],
        `t${number}`,
        number < 2 ? labels[number] : "",
      ),
    );
    right -= width + 6;
  }
  return shapes;
}

/**
 * @param {Scene} scene
 * @param {GraphBox} box
 * @returns {Shape}
 */
function bucket({ index, layout, state }, box) {
  const node = /** @type {NodeState} */ (state.nodes.get(box.node));
  const variable = index.nodes[box.node]?.variable ?? null;
  const name = nameIn(index, state, variable) ?? "";
  const grad = gradText(state, variable, layout.measures.grad);
  const look = `${node.active && isHere(index, state, box, box.node) ? " active" : ""}${node.ran ? " ran" : ""}${node.freed ? " ghost" : ""}${node.is_new ? " new" : ""}`;
  const lean = 16;
  const { x, y, width, body } = box;
  const outline = `M${x + 5},${y} h${width - 10} q5,0 4,5 l${-lean},${body - 10} q-1.5,5 -6,5 h${-(width - 2 * lean - 10)} q-4.5,0 -6,-5 l${-lean},${-(body - 10)} q-1,-5 4,-5 Z`;
  const cx = x + width / 2;
  const { height, first, apart } = linesOf(layout.measures).bucket;
  return el(
    "g",
    { key: box.key, class: `node bucket${look}`, "data-node": box.node, "data-box": box.key },
    gradName(name) !== bucketLabel(name) && el("title", {}, gradName(name)),
    el("path", { class: "node-box", d: outline }),
    el("text", { class: "bucket-name", x: cx, y: y + first }, "AccumulateGrad"),
    bucketLines(`${bucketLabel(name)}: ${grad}`, body > height).map((line, number) =>
      el("text", { key: number, class: "bucket-grad", x: cx, y: y + first + (number + 1) * apart }, line),
    ),
  );
}

/**
 * @param {State} state
 * @param {number | null} variable
 * @param {number} most
 */
function gradText(state, variable, most) {
  const grad = state.tensors.get(variable ?? -1)?.grad ?? null;
  if (grad === null) return "None";
  const tensor = state.tensors.get(grad);
  const geometry = tensor?.geometry;
  const contents = geometry?.storage == null ? null : state.storages.get(geometry.storage)?.contents;
  return geometry && contents ? shown(geometry, contents, most) : "…";
}

/**
 * @param {Scene} scene
 * @param {GraphBox[]} boxes
 * @param {GraphEdge[]} edges
 */
function chips({ layout, state, say }, boxes, edges) {
  const shapes = [];
  for (const edge of edges) {
    const flow = edge.to === null ? undefined : flowOn(state, edge);
    if (flow) shapes.push(chip(edge.key, edge.chip, flow));
  }
  /** @type {Map<string, Flow | undefined>} */
  const rootFlows = new Map();
  for (const node of state.roots)
    for (const { key } of boxesOf(layout, node))
      rootFlows.set(key, rootFlows.get(key) ?? state.arrived(`root${node}`));
  for (const box of boxes) {
    const flow = box.shape === "bucket" ? undefined : rootFlows.get(box.key);
    if (!flow) continue;
    const tags = tagTexts(state.nodes.get(box.node)?.labels ?? [], say).reduce(
      (sum, text) => sum + monoWidth(text, 13) + 22,
      8,
    );
    // beside the tags, which keep their places
    const most = Math.min(16, Math.floor((box.width - 12 - tags - 14) / monoWidth("0", 14)));
    const x = box.x + 12 + (monoWidth(shownValue(flow, most), 14) + 14) / 2;
    const shape = chip(
      `root${box.node}`,
      [x, box.y + box.body + linesOf(layout.measures).below.root],
      flow,
      most,
    );
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
 * @param {string} key
 * @param {[number, number]} at
 * @param {Flow} flow
 * @param {number} [most] characters of the value
 * @returns {Shape}
 */
function chip(key, [x, y], flow, most) {
  const text = shownValue(flow, most);
  const width = monoWidth(text, 14) + 14;
  return el(
    "g",
    { key, class: `chip${flow.fresh ? " fresh" : ""}`, "data-gradient": key },
    el("title", {}, shownValue(flow, 400)),
    el("rect", { x: x - width / 2, y: y - 12, width, height: 24, rx: 12 }),
    el("text", { x, y: y + 4.5 }, text),
  );
}
