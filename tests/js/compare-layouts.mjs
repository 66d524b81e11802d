/**
 * Compares the page's layouts with those of Graphviz: `node compare-layouts.mjs FOLDER [PICTURES]` lays out
 * the graph of each document in a folder. Both programs lay out a graph as the page shows it at first. A
 * graph with unfolded groups is not laid out by Graphviz. The page's layout passes if it has no more
 * crossings than Graphviz's, and at most 1.3 times its area and total length of edges. Prints a line of JSON
 * for each document with a graph. The folder PICTURES gets both pictures side by side.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { indexOf } from "../../static/js/run/facts.js";
import { graphLayout } from "../../static/js/layout/engine/engine.js";
import { folded } from "../../static/js/layout/engine/folding.js";
import { groupsOf } from "../../static/js/layout/engine/groups.js";
import { withPieces } from "../../static/js/layout/engine/pieces.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { unionOf } from "../../static/js/layout/union-graph.js";
import { byGraphviz } from "./by-graphviz.js";
import { qualityOf, svgOf } from "./drawn.js";

const MOST = 1.3;
const [folder, pictures] = process.argv.slice(2);

for (const file of readdirSync(folder).sort()) {
  const index = indexOf(JSON.parse(readFileSync(join(folder, file), "utf8")));
  const measures = measuresFor(1440);
  const began = performance.now();
  const ours = graphLayout(index, { measures });
  const ms = performance.now() - began;
  if (ours.boxes.length === 0) continue;
  const union = unionOf(index, measures);
  const grouping = withPieces(index, union, groupsOf(index, union));
  const theirs = byGraphviz(folded(union, grouping, ours.open), measures);
  const [mine, other] = [qualityOf(ours), qualityOf(theirs)];
  const [area, length] = [mine.area / other.area, mine.length / other.length];
  const passes = mine.crossings <= other.crossings && area <= MOST && (other.length === 0 || length <= MOST);
  const name = file.replace(/\.json$/, "");
  console.log(
    JSON.stringify({
      name,
      passes,
      boxes: ours.boxes.length,
      frames: ours.frames.length,
      crossings: [mine.crossings, other.crossings],
      area: Number(area.toFixed(2)),
      length: Number(length.toFixed(2)),
      behind: [mine.behind, other.behind],
      ms: Math.round(ms),
    }),
  );
  if (pictures) {
    const figures = [ours, theirs].map((layout) => `<div>${svgOf(layout)}</div>`).join("");
    const head =
      "<!doctype html><meta charset=utf-8><style>body{display:flex;gap:40px;align-items:start;margin:10px}</style>";
    writeFileSync(join(pictures, `${name}.html`), head + figures);
  }
}
