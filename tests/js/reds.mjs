/**
 * Lists the items that the pictures show in red because they are wrong. `node reds.mjs FOLDER` reads the
 * documents in a folder, and prints a line of JSON for each document, with the red items of each step that
 * has red items.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { graphLayout } from "../../static/js/layout/engine/engine.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { indexOf } from "../../static/js/run/facts.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { graphShapes } from "../../static/js/stage/graph-picture.js";
import { memoryShapes } from "../../static/js/stage/memory-picture.js";
import { speaker } from "./spoken.js";

const measures = measuresFor(1440);
const MARKS = { spare: 0, isSmall: false, cursor: null, hits: new Set(), scale: 1, least: 12 };
/** The classes that are drawn in red, by kind of item. */
const RED = {
  pocket: ["stale-freed"],
  chip: ["wrong"],
  bucket: ["wrong", "odd"],
  node: ["odd"],
  cell: ["wrong"],
  "cells-between": ["wrong"],
  storage: ["wrong", "odd"],
};
/** The class of the text that describes a red item, by kind. */
const TEXTS = { bucket: "bucket-grad", node: "node-line", cell: "cell-value", storage: "storage-size" };

const classesOf = ({ attributes }) => String(attributes.class ?? "").split(" ");

function* allIn(shape) {
  yield shape;
  for (const child of shape.children) yield* allIn(child);
}

/** The red items of a drawn picture, as "kind: text". */
function redsIn(shapes) {
  return shapes.flatMap((root) =>
    [...allIn(root)].flatMap((shape) => {
      const classes = classesOf(shape);
      const kind = Object.keys(RED).find((name) => classes.includes(name));
      const isBucket = kind === "node" && classes.includes("bucket");
      if (kind === undefined || isBucket || !RED[kind].some((name) => classes.includes(name))) return [];
      const texts = [...allIn(shape)].filter(
        (each) => each.tag === "text" && classesOf(each).includes(TEXTS[kind] ?? classesOf(each)[0]),
      );
      return [`${kind}: ${texts.flatMap(({ text }) => text || []).join(" ")}`];
    }),
  );
}

const { say } = speaker("en");
for (const file of readdirSync(process.argv[2]).sort()) {
  const index = indexOf(JSON.parse(readFileSync(join(process.argv[2], file), "utf8")));
  const [graph, memory] = [graphLayout(index, { measures }), memoryLayout(index, measures)];
  const steps = index.stops.map((stop, k) => {
    const scene = { index, state: stateAt(index, k), say, view: null, over: [] };
    const shapes = [
      ...graphShapes({ ...scene, ...MARKS, layout: graph }),
      ...memoryShapes({ ...scene, layout: memory, chosen: null }),
    ];
    return { step: stop.step.id, tick: stop.tick, red: redsIn(shapes) };
  });
  const name = file.replace(/\.json$/, "");
  console.log(JSON.stringify({ name, steps: steps.filter(({ red }) => red.length > 0) }));
}
