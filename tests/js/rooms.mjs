/**
 * Measures the width of pictures and of their panes. `node rooms.mjs FOLDER WIDTH...` reads the documents in
 * a folder, and prints a line of JSON for each document and width of the page.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { columnsOf } from "../../static/js/run/values/text-width.js";
import { indexOf } from "../../static/js/run/facts.js";
import { arranged, graphWithin, roomOn } from "../../static/js/layout/arranging.js";
import { graphLayout } from "../../static/js/layout/engine/engine.js";
import { LEAST_SCALE } from "../../static/js/layout/measures.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { textShare } from "../../static/js/layout/text-column.js";

const [folder, ...widths] = process.argv.slice(2);

/** @returns a page whose visitor changed no splitter */
function pageOf(width, letters) {
  return {
    ...{ width, height: 900, isSmall: false, isAlone: false, isPresented: false },
    ...{ columns: textShare(letters, width, 1), letters },
    ...{ chosen: { columns: null, pictures: null }, larger: 1, text: 1 },
  };
}

async function reportOn(index, width) {
  const lines = index.source.split("\n");
  const letters = Math.max(...lines.map((line) => [...line].reduce((all, each) => all + columnsOf(each), 0)));
  const room = roomOn(pageOf(width, letters));
  const graph = await graphWithin(room, (measures) => graphLayout(index, { measures }));
  const folding = { groups: graph.groups, homes: graph.homes, open: undefined };
  const { arrangement, memory, share } = await arranged(graph, room, null, (measures, most) =>
    memoryLayout(index, { ...measures, memory: { ...measures.memory, most } }, undefined, folding),
  );
  const { isStacked } = arrangement;
  const isAlone = graph.boxes.length === 0 && !graph.isOverview;
  const all = arrangement.both ?? room.both.usual;
  const scale = isStacked ? Math.min(LEAST_SCALE.graph, (all - 18) / graph.width) : LEAST_SCALE.graph;
  return {
    looks: isAlone ? "alone" : isStacked ? "stacked" : "beside",
    scale,
    text: Math.round(width - 48 - all),
    graph: isAlone ? [0, all] : [graph.width * scale, isStacked ? all : all * share],
    memory: [memory.width * LEAST_SCALE.memory, isStacked || isAlone ? all : all * (1 - share)],
  };
}

for (const file of readdirSync(folder).sort()) {
  const index = indexOf(JSON.parse(readFileSync(join(folder, file), "utf8")));
  for (const width of widths.map(Number)) {
    const report = await reportOn(index, width);
    console.log(JSON.stringify({ name: file.replace(/\.json$/, ""), width, ...report }));
  }
}
