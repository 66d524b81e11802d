import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  cpSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { cruise } from "dependency-cruiser";
import { FOLDERS, forbidden } from "./contracts.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The maximum number of folders in static/js. */
const MOST_ENTRIES = 12;

/** The forbidden imports in the working tree at `root`. */
async function broken(root) {
  const { output } = await cruise(["static/js"], {
    baseDir: root,
    ruleSet: { forbidden },
    validate: true,
    doNotFollow: { path: "^static/vendor" },
    exclude: { path: "\\.d\\.ts$" },
    moduleSystems: ["es6"],
  });
  assert.ok(output.summary.totalCruised > 150 || root !== ROOT, "the modules are read");
  return output.summary.violations.map(({ from, to, rule }) => `${from} -> ${to}: ${rule.name}`);
}

test("no module of static/js has a forbidden import, and imports have no cycle", async () => {
  assert.deepEqual(await broken(ROOT), []);
});

test("no module imports a type from a folder that it may not import", () => {
  const upwards = [];
  for (const name of readdirSync(join(ROOT, "static/js"), { recursive: true })) {
    if (!/\.(js|d\.ts)$/.test(name)) continue;
    const from = name.split("/")[0];
    for (const [, path] of readFileSync(join(ROOT, "static/js", name), "utf8").matchAll(
      /(?:from|import\()\s*"(\.[^"]+)"/g,
    )) {
      const to = join("/", dirname(name), path).split("/")[1];
      if (to !== from && to in FOLDERS && !FOLDERS[from].may.includes(to)) upwards.push(`${name} -> ${path}`);
    }
  }
  assert.deepEqual(upwards, []);
});

test("contracts.mjs has an entry for every folder of static/js, which contains only folders", () => {
  assert.deepEqual(readdirSync(join(ROOT, "static/js")).sort(), Object.keys(FOLDERS).sort());
  assert.ok(Object.keys(FOLDERS).length <= MOST_ENTRIES);
});

const ADDED = {
  "run/added.js": ['import "../state/store.js";', "run imports what stands below it"],
  "layout/added.js": ['import "../../vendor/ui.js";', "layout imports what stands below it"],
  "state/added.js": ['void import("../lazy/help/index.js");', "state imports what stands below it"],
  "panes/added.js": ['import "../lazy/help/help.js";', "panes imports what stands below it"],
  "pages/added.js": ['import "../lazy/help/index.js";', "lazy/help is loaded later"],
  "io/added.js": ['void import("../layout/engine/layered.js");', "layout/engine is entered by its index"],
  "lazy/help/added.js": [
    'void import("../compare/index.js"); import "../compare/side.js";',
    "lazy/compare is entered by its index",
  ],
};

test("an import is rejected if it leads to a higher folder, into a lazy part, or into a cycle", async () => {
  const root = mkdtempSync(join(tmpdir(), "stepgrad-contracts-"));
  try {
    mkdirSync(join(root, "static"));
    cpSync(join(ROOT, "static/js"), join(root, "static/js"), { recursive: true });
    symlinkSync(join(ROOT, "static/vendor"), join(root, "static/vendor"));
    const write = (name, text) => writeFileSync(join(root, "static/js", name), text);
    for (const [name, [text]] of Object.entries(ADDED)) write(name, `${text}\n`);
    write("run/one.js", 'import "./two.js";\n');
    write("run/two.js", 'void import("./one.js");\n');
    const found = await broken(root);
    for (const [name, [, rule]] of Object.entries(ADDED)) {
      const from = `static/js/${name} -> `;
      assert.ok(
        found.some((arrow) => arrow.startsWith(from) && arrow.endsWith(rule)),
        `${name} in ${dirname(name)}: ${found.join("\n")}`,
      );
    }
    assert.ok(found.includes("static/js/run/one.js -> static/js/run/two.js: no circle"), "the circle");
  } finally {
    rmSync(root, { recursive: true });
  }
});
