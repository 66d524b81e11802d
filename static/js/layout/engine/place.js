/**
 * Owns the positions of the union graph's boxes. Components are laid out separately and placed in order of
 * creation. Pure.
 */

import { grouped } from "../../run/grouped.js";

/** @import {Box, Group, GraphBox, GraphEdge, GraphFrame, GraphLayout} from "../../run/types.d.ts" */
/** @import {Part, Union} from "../union-graph.js" */
/** @import {Measures} from "../../run/types.d.ts" */

/**
 * The layout of one connected part of the graph. Routes do not touch boxes. `frames` has the frame of each
 * open group, by the group's number.
 * @typedef {{
 *   width: number,
 *   height: number,
 *   centres: Map<string, [number, number]>,
 *   routes: Map<string, [number, number][]>,
 *   frames: Map<number, Box>,
 * }} Placed
 */

/**
 * The components of the union graph, in order of creation. All parts in a frame belong to one component.
 * @param {Union} union
 * @param {(group: number) => number} [frameOf] the frame that a part of a group is in; -1: none
 * @returns {Union[]}
 */
export function componentsOf({ parts, lines }, frameOf = (group) => group) {
  const leader = new Map(parts.map((part) => [part.key, part.key]));
  const find = (/** @type {string} */ key) => {
    let root = key;
    while (leader.get(root) !== root) root = leader.get(root) ?? root;
    for (let at = key; at !== root; ) {
      const next = leader.get(at) ?? root;
      leader.set(at, root);
      at = next;
    }
    return root;
  };
  for (const line of lines) leader.set(find(line.to), find(line.from));
  for (const part of parts) {
    const around = frameOf(part.around);
    if (around < 0) continue;
    const frame = `frame ${around}`;
    if (!leader.has(frame)) leader.set(frame, frame);
    leader.set(find(frame), find(part.key));
  }
  /** @type {Map<string, Union>} */
  const components = new Map();
  for (const part of parts) {
    const key = find(part.key);
    if (!components.has(key)) components.set(key, { parts: [], lines: [] });
    components.get(key)?.parts.push(part);
  }
  for (const line of lines) components.get(find(line.from))?.lines.push(line);
  return [...components.values()];
}

/**
 * Joins the layouts of all connected parts of the graph into one layout.
 * @param {Union[]} components
 * @param {Placed[]} placed in the same order
 * @param {Measures} measures
 * @param {Partial<Pick<GraphLayout, "groups" | "homes" | "open" | "by" | "kinds" | "isOverview">>} [grouping]
 * @returns {GraphLayout}
 */
export function assemble(components, placed, measures, grouping = {}) {
  const { edge } = measures.box;
  /** @type {GraphBox[]} */
  const boxes = [];
  /** @type {GraphEdge[]} */
  const edges = [];
  /** @type {GraphFrame[]} */
  const frames = [];
  const { origins, width, height } = shelvesOf(placed, measures.box);
  for (const [number, component] of components.entries()) {
    const { x, y } = /** @type {{x: number, y: number}} */ (origins[number]);
    const origin = { x: edge + x, y: edge + y };
    const places = /** @type {Placed} */ (placed[number]);
    place(component, places, origin, { boxes, edges, frames, along: measures.box.along });
  }
  return {
    width: width + 2 * edge,
    height: height + 2 * edge,
    boxes,
    edges,
    frames,
    groups: [],
    homes: [],
    open: new Set(),
    by: "all",
    kinds: [],
    isOverview: false,
    ...grouping,
    measures,
  };
}

/**
 * @param {Union} component
 * @param {Placed} placed
 * @param {{x: number, y: number}} origin
 * @param {Pick<GraphLayout, "boxes" | "edges" | "frames"> & {along: number}} into `along`: the gap between
 *   rows
 */
function place({ parts, lines }, placed, origin, into) {
  /** @type {Map<string, GraphBox>} */
  const drawn = new Map();
  const nones = new Set();
  for (const part of parts) {
    const [x, y] = placed.centres.get(part.key) ?? [0, 0];
    const box = boxAt(part, origin.x + x - part.width / 2, origin.y + y - part.height / 2);
    if (part.shape === "none") nones.add(part.key);
    else drawn.set(part.key, box);
  }
  for (const [group, { x, y, width, height }] of placed.frames)
    into.frames.push({ group, x: origin.x + x, y: origin.y + y, width, height });
  for (const box of drawn.values()) into.boxes.push(box);
  for (const line of lines) {
    const points = (placed.routes.get(line.key) ?? []).map(
      ([x, y]) => /** @type {[number, number]} */ ([origin.x + x, origin.y + y]),
    );
    into.edges.push({ ...line, to: nones.has(line.to) ? null : line.to, points, chip: [0, 0] });
  }
  const first = into.edges.length - lines.length;
  const at = (/** @type {GraphEdge} */ edge, /** @type {number} */ share) => {
    const from = /** @type {GraphBox} */ (drawn.get(edge.from));
    return crossing(edge.points, from.y - Math.max(share * into.along, CLEAR));
  };
  const added = into.edges.slice(first).filter((edge) => edge.to !== null);
  for (const edge of added) edge.chip = at(edge, 0.5);
  if (into.along >= ABOVE) for (const edges of grouped(added, ({ from }) => from).values()) spread(edges, at);
}

/**
 * The positions of components. Components are side by side while they fit, then on the next shelf below.
 * @param {{width: number, height: number}[]} placed
 * @param {Measures["box"]} box
 */
export function shelvesOf(placed, { shelf: least, apart }) {
  const most = placed.reduce((widest, { width }) => Math.max(widest, width), least);
  /** @type {{x: number, y: number}[]} */
  const origins = [];
  const shelf = { x: 0, y: 0, height: 0 };
  let whole = 0;
  for (const { width, height } of placed) {
    if (shelf.x > 0 && shelf.x + width > most)
      Object.assign(shelf, { x: 0, y: shelf.y + shelf.height + apart, height: 0 });
    origins.push({ x: shelf.x, y: shelf.y });
    whole = Math.max(whole, shelf.x + width);
    shelf.x += width + apart;
    shelf.height = Math.max(shelf.height, height);
  }
  return { origins, width: whole, height: shelf.y + shelf.height };
}

/**
 * @param {Part} part
 * @param {number} x
 * @param {number} y
 * @returns {GraphBox}
 */
function boxAt(part, x, y) {
  const pockets = part.pockets.map((pocket) => ({ ...pocket, x: x + pocket.x, y: y + pocket.y }));
  const { key, node, shape, width, height, body, around, fold, cut, unreached } = part;
  const nodes = fold && { group: fold.group, nodes: [...fold.nodes].sort((a, b) => a - b) };
  return {
    key,
    node,
    shape: shape === "none" ? "node" : shape,
    x,
    y,
    width,
    height,
    body,
    pockets,
    around,
    fold: nodes,
    ...(cut && { cut }),
    ...(unreached && { unreached }),
  };
}

/**
 * @param {[number, number][]} points
 * @param {number} t
 * @returns {[number, number]}
 */
function along([a, b, c, d], t) {
  const mix = (/** @type {0 | 1} */ axis) =>
    (1 - t) ** 3 * (a?.[axis] ?? 0) +
    3 * (1 - t) ** 2 * t * (b?.[axis] ?? 0) +
    3 * (1 - t) * t ** 2 * (c?.[axis] ?? 0) +
    t ** 3 * (d?.[axis] ?? 0);
  return [mix(0), mix(1)];
}

/**
 * The position of a gradient's chip: on the curve, in the middle of the gap above the box at which the edge
 * begins.
 * @param {[number, number][]} points
 * @param {number} y
 * @returns {[number, number]}
 */
function crossing(points, y) {
  for (let piece = 0; piece + 3 < points.length; piece += 3) {
    for (let step = 0; step <= 24; step += 1) {
      const at = along(points.slice(piece, piece + 4), step / 24);
      if (at[1] <= y) return at;
    }
  }
  return /** @type {[number, number]} */ (points.at(-1));
}

/**
 * Moves the gradients' chips of neighbouring edges to different heights if the chips would touch.
 * @param {GraphEdge[]} edges
 * @param {(edge: GraphEdge, share: number) => [number, number]} at
 */
function spread(edges, at) {
  const row = [...edges].sort((a, b) => a.chip[0] - b.chip[0]);
  for (const [number, edge] of row.entries()) {
    const near = [row[number - 1], row[number + 1]].some(
      (other) => other && Math.abs(other.chip[0] - edge.chip[0]) < CHIP,
    );
    if (near) edge.chip = at(edge, number % 2 === 0 ? 0.3 : 0.8);
  }
}

const CHIP = 96;
/**
 * The distance in px from the middle of a gradient's chip to the box below: half of the chip's height, plus
 * a gap.
 */
const CLEAR = 14;
/** The minimum gap in px between two rows that has room for two gradients' chips one above the other. */
const ABOVE = 40;
