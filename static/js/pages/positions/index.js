/**
 * Owns the content of an exported picture: the page's own layout and drawing of a step, as plain JSON. The
 * code runs in a JavaScript engine without a page, which Stepgrad's Python starts (app/export).
 */

import { FluentResource } from "../../../vendor/fluent.js";
import { arranged, graphWithin, roomOn } from "../../layout/arranging.js";
import { textShare } from "../../layout/text-column.js";
import { graphMarks, memoryMarks } from "../../layout/marks/chain-marks.js";
import { rowsAt } from "../../layout/memory-rows.js";
import { memoryLayout } from "../../layout/memory-layout.js";
import { indexOf } from "../../run/facts.js";
import { firstShown, openingStop } from "../../run/stops/opening.js";
import { withGranularity } from "../../run/stops/granularity.js";
import { whyNoNode } from "../../run/naming/no-nodes.js";
import { askedIn } from "../../run/stops/why-address.js";
import { stateAt } from "../../run/state-at.js";
import { columnsOf } from "../../run/values/text-width.js";
import { bundleOf } from "../../state/bundle.js";
import { chainOf } from "../../words/why/chain-of.js";
import { whyOf } from "../../words/why/why.js";
import { figuresOf } from "./figures.js";
import { staleLinks } from "./stale-links.js";
import { looksOf } from "./styles.js";

/** @import {Document} from "../../run/trace.d.ts" */
/** @import {GraphLayout, Granularity, Index, Say, State} from "../../run/types.d.ts" */
/** @import {Figures, Place} from "./figures.js" */

/**
 * `open`, `open_storages`: the open groups; null: the groups that are open at first. `step`: from 1; "last";
 * "first": the first step that shows something; "opening": the step at which the page opens. `width`: of the
 * page, in px. `words`: the catalogue of `language`. `css`: the page's style sheet. `why`: the question that
 * is answered, as in an address; null: none.
 * @typedef {{
 *   picture: "graph" | "memory" | "both",
 *   step: number | "first" | "opening" | "last",
 *   by: Granularity,
 *   width: number,
 *   open: string[] | null,
 *   open_storages: string[] | null,
 *   why: string | null,
 *   language: string,
 *   words: string,
 *   css: string,
 * }} Wanted
 */

/** The margin in px around the exported pictures and between them. */
const AIR = 12;

/**
 * The picture of a step of a document. In the result, `step` is the number of the step, from 1, and `steps`
 * the number of all steps.
 * @param {string} document
 * @param {string} asked
 * @returns {Promise<string>} JSON
 */
export async function positions(document, asked) {
  /** @type {Wanted} */
  const wanted = JSON.parse(asked);
  const whole = indexOf(/** @type {Document} */ (JSON.parse(document)));
  const index = withGranularity(whole, wanted.by);
  const steps = index.stops.length;
  const step = stepOf(index, wanted.step);
  if (steps === 0 || step >= steps) return JSON.stringify({ step: 0, steps, width: 0, height: 0, parts: [] });
  const { parts, link } = await partsOf(index, stateAt(index, step), wanted);
  const width = parts.reduce((sum, part) => sum + part.width + AIR, AIR);
  const height = Math.max(...parts.map((part) => part.height)) + 2 * AIR;
  let left = AIR;
  const placed = parts.map((part) => {
    const at = { ...part, x: left, y: AIR };
    left += part.width + AIR;
    return at;
  });
  link(placed);
  return JSON.stringify({ step: step + 1, steps, width, height, parts: placed });
}

/**
 * @param {Index} index
 * @param {Wanted["step"]} step
 */
function stepOf(index, step) {
  if (step === "first") return firstShown(index);
  if (step === "opening") return openingStop(index);
  return step === "last" ? index.stops.length - 1 : step - 1;
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Wanted} wanted
 * @returns {Promise<{parts: Figures[], link: (placed: Figures[]) => void}>} `link`: adds the lines from one
 *   picture to the other
 */
async function partsOf(index, state, { picture, why, language, words, css, ...page }) {
  const say = sayer(language, words);
  const looks = looksOf(css);
  const { graph, memory } = await laidOut(index, page);
  const { el, graphShapes, memoryShapes, staleTensors, wayBetween } = await import("../../stage/index.js");
  const chain = chainIn(index, why);
  const marking = chain && { el, state, chain, view: null };
  const scene = { index, state, say, view: null, over: [], chain };
  /** @type {Figures[]} */
  const parts = [];
  if (picture !== "memory") {
    const rest = { scale: 1, spare: 0, least: 0, isSmall: graph.measures.terse, cursor: null };
    const shapes = graphShapes({
      ...scene,
      ...rest,
      layout: graph,
      hits: new Set(),
      over: marking ? graphMarks(graph, marking) : [],
    });
    const empty = say("graph-empty", whyNoNode(index)).replaceAll("`", "");
    parts.push(figuresOf("graph", shapes, graph, looks, graph.boxes.length === 0 ? empty : "").figures);
  }
  /** @type {Map<number, Place>} */
  let cells = new Map();
  if (picture !== "graph") {
    const shapes = memoryShapes({
      ...scene,
      layout: memory,
      chosen: null,
      over: marking ? memoryMarks(memory, marking) : [],
    });
    const read = figuresOf(
      "memory",
      shapes,
      memory,
      looks,
      memory.rows.length === 0 ? say("memory-empty") : "",
    );
    parts.push(read.figures);
    cells = read.cells;
  }
  const stale = staleTensors(index, state).map(({ id, geometry }) => ({
    id,
    storage: geometry.storage ?? -1,
  }));
  const footOf = (/** @type {number} */ storage) => {
    const row = rowsAt(memory, state).find((each) => each.storage === storage);
    return row === undefined ? 0 : row.y - 4 + row.height;
  };
  const link = (/** @type {Figures[]} */ [graph, memory]) => {
    const way = { cells, footOf, wayBetween };
    if (graph && memory) memory.strokes.push(...staleLinks(stale, graph, memory, way, looks));
  };
  return { parts, link };
}

/**
 * The layouts of both pictures, as on a page of the given width on which a visitor opened the given groups
 * and changed nothing else.
 * @param {Index} index
 * @param {Pick<Wanted, "width" | "open" | "open_storages">} page
 */
async function laidOut(index, { width, open, open_storages }) {
  const { graphLayout } = await import("../../layout/engine/index.js");
  const lines = index.source.split("\n");
  const letters = Math.max(...lines.map((line) => [...line].reduce((all, each) => all + columnsOf(each), 0)));
  const room = roomOn({
    ...{ width, height: 900, isSmall: false, isAlone: false, isPresented: false },
    ...{
      columns: textShare(letters, width, 1),
      letters,
      chosen: { columns: null, pictures: null },
      larger: 1,
      text: 1,
    },
  });
  const chosen = open === null ? undefined : new Set(open);
  const graph = await graphWithin(room, (measures) => {
    const opened = graphLayout(index, { measures, chosen }) ?? graphLayout(index, { measures });
    return /** @type {GraphLayout} */ (opened);
  });
  const storages = open_storages === null ? undefined : new Set(open_storages);
  const folding = { groups: graph.groups, homes: graph.homes, open: storages };
  const { memory } = await arranged(graph, room, null, (measures, most) =>
    memoryLayout(index, { ...measures, memory: { ...measures.memory, most } }, undefined, folding),
  );
  return { graph, memory };
}

/**
 * @param {Index} index
 * @param {string | null} why
 */
function chainIn(index, why) {
  const asked = askedIn(index, why);
  return asked ? chainOf(whyOf(index, asked.tick, asked.subject, asked.choices).hops) : undefined;
}

/**
 * @param {string} language
 * @param {string} words
 * @returns {Say}
 */
function sayer(language, words) {
  const bundle = bundleOf(language);
  bundle.addResource(new FluentResource(words));
  return (id, args) => {
    const pattern = bundle.getMessage(id)?.value;
    return pattern ? bundle.formatPattern(pattern, args, []).trim() : id;
  };
}

Object.assign(globalThis, { positions });
