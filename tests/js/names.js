/**
 * The names that the page shows. Run with a folder of requests `{document, ticks}` it prints for each, a line
 * of JSON, the name of every tensor at no particular tick and at each of these, null where it has none.
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
  const plain = (text) => text?.replaceAll("\u2060", "") ?? null; // what marks a name as no markup
  const ever = ids.map((id) => plain(everName(index, id)));
  const at = ticks.map((tick) => ids.map((id) => plain(labelsAt(index, tick, id)[0]?.text)));
  console.log(JSON.stringify({ ever, at }));
}
