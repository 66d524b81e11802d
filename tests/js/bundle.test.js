import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { BUNDLE, bundled } from "./bundle.mjs";

const STATIC = join(BUNDLE, "..");
const read = (name) => readFileSync(join(BUNDLE, name), "utf8");
const scripts = readdirSync(BUNDLE).filter((name) => name.endsWith(".js"));

const files = await bundled();
const isMap = (name) => name.endsWith(".map");

test("static/bundle equals the output of `make bundle`, except that source maps may be missing", () => {
  const others = (names) => names.filter((name) => !isMap(name));
  assert.deepEqual(others(readdirSync(BUNDLE).sort()), others([...files.keys()]));
  for (const [name, text] of files)
    if (!isMap(name)) assert.ok(read(name) === text, `${name} is old: run \`make bundle\``);
});

test("the source maps contain every module and style sheet unchanged", () => {
  const held = new Map();
  for (const name of [...files.keys()].filter(isMap)) {
    const { sources, sourcesContent } = JSON.parse(files.get(name));
    for (const [number, source] of sources.entries()) held.set(join(BUNDLE, source), sourcesContent[number]);
  }
  const holdsNoCode = (path) =>
    /\.d\.ts$/.test(path) ||
    /^\/\*[^]*\*\/\s*(export \{[^}]*\} from "[^"]*";\s*|@import "[^"]*";\s*)*$/.test(
      readFileSync(path, "utf8"),
    );
  for (const folder of ["js", "css"]) {
    for (const path of readdirSync(join(STATIC, folder), { recursive: true })) {
      const source = join(STATIC, folder, path);
      if (!/\.(js|css)$/.test(path) || holdsNoCode(source)) continue;
      assert.ok(held.get(source) === readFileSync(source, "utf8"), `${folder}/${path} is not in the bundle`);
    }
  }
});

test("a source map leads from a position in the bundle to the line in static/js", () => {
  const said = "no words at "; // this text occurs only once in the source, in words.js
  const text = read("shared-1.js");
  const lines = text.slice(0, text.indexOf(said)).split("\n");
  const { originalSource, originalLine } = new SourceMap(JSON.parse(files.get("shared-1.js.map"))).findEntry(
    lines.length - 1,
    lines.at(-1).length,
  );
  assert.match(originalSource, /^\.\.\/js\/.*words\.js$/);
  assert.ok(readFileSync(join(BUNDLE, originalSource), "utf8").split("\n")[originalLine].includes(said));
});

test("scripts of the bundle import only files of the bundle and libraries", () => {
  for (const name of scripts) {
    const paths = [...read(name).matchAll(/(?:from|import|import\()"([^"]+)"|new URL\("([^"]+)"/g)].map(
      ([, one, other]) => one ?? other,
    );
    for (const path of paths.filter((each) => each.startsWith("."))) {
      assert.match(path, /^\.\/[\w.-]+\.(js|css)$|^\.\.\/vendor\/([\w-]+\.js|fonts\/[\w-]+\.woff2)$/, name);
      readFileSync(join(BUNDLE, path));
    }
  }
});

test("the manifest lists for each script all scripts that must be loaded before it runs", () => {
  const { imports } = JSON.parse(read("manifest.json"));
  for (const [name, paths] of Object.entries(imports)) {
    assert.equal(paths[0], `bundle/${name}`);
    for (const path of paths) {
      const text = readFileSync(join(STATIC, path), "utf8");
      const named = path.startsWith("vendor/")
        ? []
        : [...text.matchAll(/(?:from|import)"(\.[^"]+)"/g)].map(([, each]) => join("bundle", each));
      for (const each of named) assert.ok(paths.includes(each), `${name}: ${each}`);
    }
  }
  assert.ok(!imports["player.js"].some((path) => /layout-engine|stage/.test(path)), "they come later");
});

test("modules that parts share are in few files, because each file needs another request", () => {
  const shared = scripts.filter((name) => name.startsWith("shared-"));
  const { imports } = JSON.parse(read("manifest.json"));
  const inFrame = shared.filter((name) => imports["embed.js"].includes(`bundle/${name}`));
  assert.equal(inFrame.length, 1, "a frame");
  assert.ok(shared.length - inFrame.length <= 8, shared.join(" "));
  const [page = [], run = []] = [imports["player.js"], imports["run.js"]];
  const inRun = run.filter((path) => path.includes("shared-") && !page.includes(path));
  assert.equal(
    inRun.length,
    1,
    `the panes of a run are one file, and a first visit does not load it: ${inRun}`,
  );
});
