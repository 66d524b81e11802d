/**
 * Measures pictures in presenter mode on a page of 1920 × 1080 px: their size at the minimum scale, and the
 * space in their panes. `node presented-rooms.mjs FOLDER` reads the documents in a folder, and prints a line
 * of JSON for each document with a graph.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { columnsOf } from "../../static/js/run/values/text-width.js";
import { indexOf } from "../../static/js/run/facts.js";
import { arranged, graphWithin, roomOn } from "../../static/js/layout/arranging.js";
import { graphLayout } from "../../static/js/layout/engine/engine.js";
import { PRESENTED_SCALE, presentedHeight } from "../../static/js/layout/measures.js";
import { textShare } from "../../static/js/layout/text-column.js";
import { memoryLayout } from "../../static/js/layout/memory-layout.js";

const [folder] = process.argv.slice(2);
const LARGER = 1.2;
/** The factor by which the code is enlarged in presenter mode. */
const LARGER_CODE = 1.35;
/** The margins of a pane, in px: borders and half the gap between panes. */
const EDGES = 4;
/** The height in px by which the header of memory is lower, because it has no buttons for a scale. */
const LOWER = 6;

for (const file of readdirSync(folder).sort()) {
  const index = indexOf(JSON.parse(readFileSync(join(folder, file), "utf8")));
  const lines = index.source.split("\n");
  const letters = Math.max(...lines.map((line) => [...line].reduce((all, each) => all + columnsOf(each), 0)));
  const page = { width: 1920, height: 1080, isPrinting: index.outputs.length > 0 };
  const room = roomOn({
    ...{ ...page, isSmall: false, isAlone: false, isPresented: true, larger: LARGER, text: 1 },
    ...{ columns: Math.max(0.3, textShare(letters, page.width, LARGER_CODE)) },
    chosen: { columns: null, pictures: null },
  });
  const graph = await graphWithin(room, (measures) => graphLayout(index, { measures }));
  if (graph.boxes.length === 0) continue;
  const folding = { groups: graph.groups, homes: graph.homes, open: undefined };
  const { arrangement, memory, share } = await arranged(graph, room, null, (measures, most) =>
    memoryLayout(index, { ...measures, memory: { ...measures.memory, most } }, undefined, folding),
  );
  const both = arrangement.both ?? room.both.usual;
  const sizeOf = ({ width, height }, scale) => [width * scale, height * scale];
  console.log(
    JSON.stringify({
      name: file.replace(/\.json$/, ""),
      graph: sizeOf(graph, PRESENTED_SCALE.graph),
      graph_room: [both * share - EDGES, presentedHeight(page)],
      memory: sizeOf(memory, PRESENTED_SCALE.memory),
      memory_room: [both * (1 - share) - EDGES, presentedHeight(page) + LOWER],
    }),
  );
}
