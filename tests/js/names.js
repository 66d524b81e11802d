/**
 * The names that the page shows. The argument is a folder of requests `{document, ticks}`. Prints a line of
 * JSON for each request: the names of all tensors without a tick (`ever`) and at each tick (`at`); null: no
 * name.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { indexOf } from "../../static/js/run/facts.js";
import { everName, labelsAt } from "../../static/js/run/naming/naming.js";

const folder = process.argv[2];
for (const file of readdirSync(folder).sort()) {
  const { document, ticks } = JSON.parse(readFileSync(join(folder, file), "utf8"));
  const index = indexOf(document);
  const ids = index.tensors.map((tensor) => tensor.id);
  const plain = (text) => text?.replaceAll("\u2060", "") ?? null; // removes the mark of plain text
  const ever = ids.map((id) => plain(everName(index, id)));
  const at = ticks.map((tick) => ids.map((id) => plain(labelsAt(index, tick, id)[0]?.text)));
  console.log(JSON.stringify({ ever, at }));
}
