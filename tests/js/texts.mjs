/**
 * Checks that texts in the boxes of both pictures fit. `node texts.mjs FOLDER` reads the documents in a
 * folder, and prints a line of JSON for each document and way of drawing. Widths are computed from the
 * metrics of the fonts. `tests/browser/test_texts.py` measures widths in a browser.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { graphLayout } from "../../static/js/layout/engine/engine.js";
import { FITTED, measuresFor, PRESENTED } from "../../static/js/layout/measures.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { indexOf } from "../../static/js/run/facts.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { monoWidth, sansWidth } from "../../static/js/run/values/text-width.js";
import { graphShapes } from "../../static/js/stage/graph-picture.js";
import { memoryShapes } from "../../static/js/stage/memory-picture.js";
import { LANGUAGES, speaker } from "./spoken.js";

/** The ways of drawing a picture: sizes, the scale of the graph, and the minimum font size in it. */
const WAYS = [
  { name: "roomy", measures: measuresFor(1440), scale: 1, least: 12 },
  { name: "small", measures: measuresFor(1440), scale: 0.8, least: 15 },
  { name: "fitted", measures: FITTED, scale: 0.8, least: 15 },
  { name: "narrow", measures: measuresFor(1024), scale: 0.7, least: 12 / 0.7 },
  { name: "presented", measures: PRESENTED, scale: 1.334, least: 15 },
];
const MOST_STEPS = 10;

/** The shape that is the box of a group, by the class of the group, innermost first. */
const BOXES = [
  ["pocket", "path"],
  ["name-tag", "rect"],
  ["chip", "rect"],
  ["nameless", "rect"],
  ["retained", "rect"],
  ["pill", "rect"],
  ["fold", "rect"],
  ["node", "rect"],
  ["bucket", "path"],
  ["tensor", "rect"],
];
/** Font sizes in the style sheets, by the class of the text, or of a group around it. */
const SIZES = { "tensor-shape": 16, "tensor-stride": 12.5, pill: 13, "frame-name": 13, "storages-title": 14 };
const SANS = ["node-line", "pocket-word", "nameless", "retained", "storages-line"];
/** The width in px by which a bucket is narrower at its lines of text than at its top. */
const LEAN = { "bucket-name": 12, "bucket-grad": 25 };
const AIR = 1;

const classesOf = (element) => String(element.attributes.class ?? "").split(" ");

/** The left and the right end of a path or a rectangle. */
function spanOf({ tag, attributes }) {
  if (tag === "rect") return [Number(attributes.x), Number(attributes.x) + Number(attributes.width)];
  let [x, left, right] = [0, Infinity, -Infinity];
  for (const [, command, rest] of String(attributes.d).matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const numbers = (rest.match(/-?[\d.]+/g) ?? []).map(Number);
    const across = { M: [0], m: [0], l: [0], h: [0], H: [0], q: [2] }[command];
    if (across === undefined) continue;
    for (const at of across) x = command === "M" || command === "H" ? numbers[at] : x + numbers[at];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
  }
  return [left, right];
}

/** All texts of a drawn picture, each with the groups around it. */
function* textsOf(element, around) {
  if (element.tag === "text") yield { text: element, around };
  for (const child of element.children) yield* textsOf(child, [element, ...around]);
}

/** The left and the right end of a text. */
function inkOf({ text, around }, { least, measures }) {
  const classes = [classesOf(text), ...around.slice(0, 2).map(classesOf)].flat();
  const sheet = classes.map((name) => SIZES[name]).find((size) => size !== undefined);
  const inGraph = { "name-tag": Math.max(13, least), chip: Math.max(13, least) };
  const isInMemory = around.some((group) => classesOf(group).includes("row"));
  const tag = isInMemory ? measures.tag.size : inGraph["name-tag"];
  const shape = classes.includes("long") ? 12.5 : measures.compact ? 14.5 : 16;
  const size =
    text.attributes["font-size"] ??
    (classes.includes("tensor-shape")
      ? shape
      : (sheet ?? (classes.includes("name-tag") ? tag : classes.includes("chip") ? inGraph.chip : 12.5)));
  const isSans = classes.some((name) => SANS.includes(name));
  const isBold = classes.includes("pocket-word");
  const width = isSans ? sansWidth(text.text, Number(size), isBold) : monoWidth(text.text, Number(size));
  const isMiddle = ["bucket-name", "bucket-grad", "name-tag", "chip", "pill", "nameless"].some((each) =>
    classes.includes(each),
  );
  const x = Number(text.attributes.x);
  const from = isMiddle ? x - width / 2 : classes.includes("stale-inside") ? x - width : x;
  return [from, from + width];
}

/** The number of texts in boxes, and the list of texts that are cut off or extend beyond their box. */
function reportOn(root, way) {
  let count = 0;
  const over = [];
  for (const written of textsOf(root, [])) {
    const found = BOXES.flatMap(([name, tag]) =>
      written.around.slice(0, 2).flatMap((group) => {
        const shape = classesOf(group).includes(name) && group.children.find((child) => child.tag === tag);
        return shape ? [shape] : [];
      }),
    )[0];
    const isBelow = classesOf(written.text).includes("group-gradient");
    if (found === undefined || isBelow) continue;
    count += 1;
    const [left, right] = spanOf(found);
    const lean = classesOf(written.text).map((name) => LEAN[name] ?? 0)[0] / 2;
    const [from, to] = inkOf(written, way);
    if (from < left + lean - AIR || to > right - lean + AIR)
      over.push(`${written.text.text}: ${[from, to, left + lean, right - lean].map(Math.round)}`);
  }
  return { count, over };
}

for (const file of readdirSync(process.argv[2]).sort()) {
  const index = indexOf(JSON.parse(readFileSync(join(process.argv[2], file), "utf8")));
  const last = index.stops.length - 1;
  const each = Math.max(1, Math.ceil(last / MOST_STEPS));
  const steps = [...index.stops.keys()].filter((k) => k === last || k % each === 0);
  for (const { name, ...way } of WAYS) {
    const [graph, memory] = [graphLayout(index, way), memoryLayout(index, way.measures)];
    let count = 0;
    const over = new Set();
    for (const language of LANGUAGES) {
      for (const k of steps) {
        const scene = { index, state: stateAt(index, k), say: speaker(language).say, view: null, over: [] };
        const isSmall = way.measures.terse || way.scale < 0.96;
        const marks = {
          spare: 0,
          isSmall,
          cursor: null,
          hits: new Set(),
          scale: way.scale,
          least: way.least,
        };
        const shapes = [
          ...graphShapes({ ...scene, ...marks, layout: graph }),
          ...memoryShapes({ ...scene, layout: memory, chosen: null }),
        ];
        for (const shape of shapes) {
          const report = reportOn(shape, way);
          count += report.count;
          for (const text of report.over) over.add(text);
        }
      }
    }
    console.log(JSON.stringify({ name: file.replace(/\.json$/, ""), way: name, count, over: [...over] }));
  }
}
