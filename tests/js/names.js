/**
 * Prints the names that the page shows for tensors. The argument is a folder of requests `{document,
 * ticks}`. The output has a line of JSON for each request: for each tensor its name for the whole run
 * (`ever`) and its name at each tick (`at`), or null without a name.
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
  // Removes the mark that legible.js adds to plain text.
  const plain = (text) => text?.replaceAll("\u2060", "") ?? null;
  const ever = ids.map((id) => plain(everName(index, id)));
  const at = ticks.map((tick) => ids.map((id) => plain(labelsAt(index, tick, id)[0]?.text)));
  console.log(JSON.stringify({ ever, at }));
}
