/**
 * Converts the description of a picture into boxes, tables, lines and frames in px, with their colours and
 * line widths. Pure.
 */

import { Reader } from "./reader.js";

/** @import {Shape} from "../../stage/svg.js" */
/** @import {GraphLayout, MemoryLayout} from "../../run/types.d.ts" */
/** @import {Looks} from "./styles.js" */
/** @import {Point} from "./paths.js" */
/** @import {Table} from "./tables.js" */

/** @typedef {{x: number, y: number, width: number, height: number}} Place */
/** @typedef {{fill: string, stroke: string, thick: number, dash: string}} Look */
/** @typedef {"start" | "middle" | "end"} Anchor */
/**
 * @typedef {{
 *   text: string, x: number, y: number, size: number, bold: boolean, sans: boolean, colour: string,
 *   anchor: Anchor,
 * }} Line `y`: the baseline
 */
/** @typedef {"box" | "round" | "note" | "bucket" | "circle" | "triangle" | "diamond"} Outline */
/** @typedef {Place & Look & {id: string, outline: Outline, lines: Line[]}} Figure */
/** @typedef {{from: string, to: string, points: Point[], tip: Point | null} & Look} Stroke */
/**
 * `around`: the number of the frame that contains this frame; -1: none. `isRound`: whether the frame's
 * corners are rounded.
 * @typedef {Place & Look & {inside: string[], around: number, isRound: boolean}} Frame
 */
/**
 * `figures` and `tables` are in the order in which they are drawn. `texts`: the texts outside of figures.
 * @typedef {{
 *   name: "graph" | "memory",
 *   x: number,
 *   y: number,
 *   width: number,
 *   height: number,
 *   frames: Frame[],
 *   figures: Figure[],
 *   tables: Table[],
 *   texts: Line[],
 *   strokes: Stroke[],
 * }} Figures
 */

/** The size in px of the note in an empty picture. */
const EMPTY = { width: 640, height: 44 };

/**
 * @param {"graph" | "memory"} name
 * @param {Shape[]} shapes
 * @param {GraphLayout | MemoryLayout} layout
 * @param {Looks} looks
 * @param {string} empty the reason why the picture is empty; "": it is not empty
 * @returns {{figures: Figures, cells: Map<number, Place>}} `cells`: the place of each storage's cells
 */
export function figuresOf(name, shapes, layout, looks, empty) {
  const root = { tag: "svg", classes: new Set([name, ...(layout.measures.compact ? ["compact"] : [])]) };
  const reader = new Reader(name, looks);
  const chain = [{ tag: "div", classes: new Set(["picture"]) }, root];
  if (empty === "") for (const shape of shapes) reader.read(shape, chain, "");
  const { figures, tables, texts, strokes, frames } = reader;
  const size = empty === "" ? { width: layout.width, height: layout.height } : EMPTY;
  if (empty !== "") texts.push(note(empty));
  if (name === "graph") {
    const graph = /** @type {GraphLayout} */ (layout);
    fill(frames, reader.framed, graph, reader.ids);
    connect(strokes, graph, reader.ids);
    frames.push(...reader.fills);
  }
  const part = { name, x: 0, y: 0, ...size, frames, figures, tables, texts, strokes };
  return { figures: part, cells: reader.cells };
}

/**
 * @param {string} text
 * @returns {Line}
 */
function note(text) {
  return { text, x: 8, y: 26, size: 14, bold: false, sans: true, colour: "#4a5361", anchor: "start" };
}

/**
 * Sets the enclosing frame of each box and each frame.
 * @param {Frame[]} frames
 * @param {string[]} keys the keys of the frames' groups
 * @param {GraphLayout} layout
 * @param {Map<string, string>} ids
 */
function fill(frames, keys, { boxes, groups }, ids) {
  const places = new Map(keys.map((key, place) => [groups.findIndex((group) => group.key === key), place]));
  for (const [group, place] of places) {
    const frame = /** @type {Frame} */ (frames[place]);
    frame.around = places.get(groups[group]?.parent ?? -1) ?? -1;
    frame.inside = boxes.flatMap(({ key, around }) => (around === group && ids.get(key)) || []);
  }
}

/**
 * Sets the boxes that the edges of the graph connect.
 * @param {Stroke[]} strokes
 * @param {GraphLayout} layout
 * @param {Map<string, string>} ids
 */
function connect(strokes, { edges }, ids) {
  const ends = new Map(edges.map(({ key, from, to }) => [`edge ${key}`, { from, to }]));
  for (const stroke of strokes) {
    const end = ends.get(stroke.from);
    if (end === undefined) continue;
    stroke.from = ids.get(end.from) ?? "";
    stroke.to = ids.get(end.to ?? "") ?? "";
  }
}
