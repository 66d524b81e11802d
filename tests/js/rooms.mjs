/**
 * How wide the pictures of documents in a folder are on a narrow page, and their panes:
 * `node rooms.mjs FOLDER WIDTH`. Prints a line of JSON for each document.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { columnsOf } from "../../static/js/run/text-width.js";
import { indexOf } from "../../static/js/run/facts.js";
import { graphLayout } from "../../static/js/layout/engine/engine.js";
import {
  arrangementOf,
  BESIDE,
  besideText,
  fittingShare,
  LEAST_SCALE,
  LEAST_TEXT,
  measuresFor,
  memoryIn,
  paneOf,
  textShare,
} from "../../static/js/layout/measures.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";

const [folder, page] = process.argv.slice(2);
const width = Number(page);
const measures = measuresFor(width);

for (const file of readdirSync(folder).sort()) {
  const index = indexOf(JSON.parse(readFileSync(join(folder, file), "utf8")));
  const graph = graphLayout(index, { measures });
  const lines = index.source.split("\n");
  const letters = Math.max(...lines.map((line) => [...line].reduce((all, each) => all + columnsOf(each), 0)));
  const share = textShare(letters, width, 1);
  const both = { usual: besideText(width, share), most: besideText(width, Math.min(share, LEAST_TEXT)) };
  const folding = { groups: graph.groups, homes: graph.homes, open: undefined };
  const memoryOf = (most) =>
    memoryLayout(index, { ...measures, memory: { ...measures.memory, most } }, undefined, folding);
  const isAlone = graph.boxes.length === 0;
  const left = isAlone ? both.usual : both.most - paneOf("graph", graph.width, 1);
  const beside = memoryOf(memoryIn(left, 1));
  const { isStacked, both: needed } = isAlone ? BESIDE : arrangementOf(both, graph.width, beside.width, 1);
  const all = needed ?? both.usual;
  const memory = isStacked ? memoryOf(memoryIn(all, 1)) : beside;
  const graphs = isStacked || isAlone ? 1 : fittingShare(graph.width, memory.width, 1);
  const scale = isStacked ? Math.min(LEAST_SCALE.graph, (all - 18) / graph.width) : LEAST_SCALE.graph;
  const report = {
    name: file.replace(/\.json$/, ""),
    looks: isAlone ? "alone" : isStacked ? "stacked" : "beside",
    scale,
    text: Math.round(width - 48 - all),
    graph: isAlone ? [0, all] : [graph.width * scale, all * graphs],
    memory: [memory.width * LEAST_SCALE.memory, isStacked || isAlone ? all : all * (1 - graphs)],
  };
  console.log(JSON.stringify(report));
}
