/**
 * Prints which leaves the page shows as never getting a gradient. The argument is a folder of documents. The
 * output has a line of JSON for each document: the names of the leaves, the lines that cut them off, and the
 * leaves with a box of their own at the end.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { indexOf } from "../../static/js/run/facts.js";
import { everName } from "../../static/js/run/naming/naming.js";
import { stateAt } from "../../static/js/run/state-at.js";
import { unreachedIn } from "../../static/js/run/values/unreached.js";
import { graphLayout } from "../../static/js/layout/engine/index.js";
import { measuresFor } from "../../static/js/layout/measures.js";
import { leafOf, lookOfUnreached } from "../../static/js/layout/unreached.js";

const measures = measuresFor(1440);
const folder = process.argv[2];
for (const file of readdirSync(folder).sort()) {
  const document = JSON.parse(readFileSync(join(folder, file), "utf8"));
  const index = indexOf(document);
  const layout = graphLayout(index, { measures });
  const leaves = [...unreachedIn(index).leaves.values()];
  const nameOf = (tensor) => everName(index, tensor).replaceAll("\u2060", "");
  const names = leaves.map(({ tensor }) => nameOf(tensor));
  const lines = leaves.map(({ line }) => line);
  const state = stateAt(index, index.stops.length - 1);
  const drawn = layout.boxes.filter((box) => lookOfUnreached(index, state, box) !== "");
  console.log(JSON.stringify({ names, lines, drawn: drawn.map((box) => nameOf(leafOf(index, box))) }));
}
