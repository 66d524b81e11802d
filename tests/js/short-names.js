/**
 * Finds faults in the shortened names in pictures of runs. The argument is a folder of documents. The output
 * has a line of JSON for each document, with a list of faults.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { FITTED, measuresFor, TIGHT } from "../../static/js/layout/measures.js";
import { indexOf } from "../../static/js/run/facts.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { monoWidth } from "../../static/js/run/values/text-width.js";
import { graphShapes } from "../../static/js/stage/graph-picture.js";
import { memoryShapes } from "../../static/js/stage/memory-picture.js";
import { laidOut } from "./fixtures.js";
import { speaker } from "./spoken.js";

const { say } = speaker("en");
const MEASURES = { roomy: measuresFor(1440), compact: measuresFor(1024), fitted: FITTED, tight: TIGHT };
/**
 * The maximum number of stops of a run that are drawn. Drawing all stops of a long run would take too long.
 */
const STOPS = 24;

/** All drawn shapes of a nested list, and the shapes within them. */
function* within(shapes) {
  for (const shape of shapes.flat(Infinity)) {
    if (typeof shape !== "object" || shape === null) continue;
    yield shape;
    yield* within(shape.children ?? []);
  }
}

const textsIn = (shape) =>
  [...within([shape])].filter(({ tag }) => tag === "text").map((text) => ({ text: text.text }));
const titleOf = (shape) => shape.children.flat(Infinity).find((child) => child?.tag === "title")?.text;

/** The name tags in the memory picture: the shown text, the full name, and whether the text fits. */
function* memoryNames(shapes, { tag }) {
  for (const shape of within(shapes)) {
    if (shape.attributes.class !== "name" || shape.attributes["data-label"] == null) continue;
    const lines = textsIn(shape).map(({ text }) => text);
    const rect = [...within([shape])].find(({ tag }) => tag === "rect");
    const isIn = lines.every(
      (line) => monoWidth(line, tag.size) <= rect.attributes.width - 4 && rect.attributes.x >= 0,
    );
    yield { shown: lines.join(" ").replace(" .grad", ".grad"), full: shape.attributes["data-name"], isIn };
  }
}

/** The names in the graph: in the name tags of Nodes, in saved tensors, and in the boxes of leaves. */
function* graphNames(shapes) {
  for (const shape of within(shapes)) {
    const look = shape.attributes.class ?? "";
    const texts = textsIn(shape).map(({ text }) => text);
    if (look === "name-tag" && shape.attributes["data-name"] != null)
      yield { shown: texts[0], full: shape.attributes["data-name"] };
    if (/^pocket (current|stale|freed|hidden)/.test(look)) {
      const [shown, full] = [texts[0], titleOf(shape) ?? texts[0]].map((text) => text.split(" = ")[1]);
      if (shown !== undefined) yield { shown, full };
    }
    if (/\bbucket\b/.test(look)) {
      const [shown] = texts.slice(1).join("").split(": ");
      if (shown !== "grad") yield { shown, full: titleOf(shape) ?? shown };
    }
  }
}

/**
 * The faults of a run's names: pairs of different names with the same shown text at a stop, and names that
 * do not fit their tag.
 */
export function confusedIn(document) {
  const index = indexOf(document);
  const graphs = [1440, 1024].map((width) => laidOut(index, "linear", width));
  const memories = Object.entries(MEASURES).map(([name, measures]) => ({
    name,
    layout: memoryLayout(index, measures),
    measures,
  }));
  const found = [];
  const every = Math.max(1, Math.ceil(index.stops.length / STOPS));
  for (let k = index.stops.length - 1; k >= 0; k -= every) {
    const state = stateAt(index, k);
    const common = { index, state, say, view: null, over: [] };
    const drawn = graphs.map((layout) => [
      ...graphNames(
        graphShapes({
          ...common,
          layout,
          scale: 1,
          spare: 0,
          least: 12,
          isSmall: false,
          cursor: null,
          hits: new Set(),
        }),
      ),
    ]);
    for (const { name, layout, measures } of memories) {
      const told = new Map();
      const names = [
        ...memoryNames(memoryShapes({ ...common, layout, chosen: null }), measures),
        ...drawn[Number(measures.compact)],
      ];
      for (const { shown, full, isIn } of names) {
        const other = told.get(shown) ?? full;
        told.set(shown, other);
        if (other !== full) found.push(`${name}, step ${k + 1}: ${shown} is ${other} and ${full}`);
        if (isIn === false) found.push(`${name}, step ${k + 1}: ${shown} is not within its tag`);
      }
    }
  }
  return [...new Set(found)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  for (const file of readdirSync(folder).sort())
    console.log(JSON.stringify(confusedIn(JSON.parse(readFileSync(join(folder, file), "utf8")))));
}
