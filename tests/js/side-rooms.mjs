/**
 * How wide memory is in a side of a comparison on pages of some widths, and its pane:
 * `node side-rooms.mjs FOLDER WIDTH...`. Prints a line of JSON for each document and width.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { arranged, graphWithin, roomBeside } from "../../static/js/layout/arranging.js";
import { graphLayout } from "../../static/js/layout/engine/engine.js";
import { LEAST_SCALE } from "../../static/js/layout/measures.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";
import { indexOf } from "../../static/js/run/facts.js";

const [folder, ...widths] = process.argv.slice(2);

for (const file of readdirSync(folder).sort()) {
  const index = indexOf(JSON.parse(readFileSync(join(folder, file), "utf8")));
  for (const width of widths.map(Number)) {
    const room = roomBeside(width, 1);
    const graph = await graphWithin(room, (measures) => graphLayout(index, { measures }));
    const folding = { groups: graph.groups, homes: graph.homes, open: undefined };
    const { memory, share } = await arranged(graph, room, null, (measures, most) =>
      memoryLayout(index, { ...measures, memory: { ...measures.memory, most } }, undefined, folding),
    );
    const isAlone = graph.boxes.length === 0;
    const report = { memory: memory.width * LEAST_SCALE.memory, graph: graph.width * LEAST_SCALE.graph };
    const pane = room.side.width * (isAlone ? 1 : 1 - share);
    console.log(JSON.stringify({ name: file.replace(/\.json$/, ""), width, ...report, pane, share }));
  }
}
