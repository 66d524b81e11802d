import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const vendor = join(here, "../../static/vendor");
const { files, packages } = JSON.parse(readFileSync(join(vendor, "VENDOR.json"), "utf8"));
const lock = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8"));

/** Matches the import by which the second file of CodeMirror uses the first. */
const FIRST_PART = /import\{[^}]*\}from"\.\/codemirror\.js";/g;

test("every vendored file is listed and has the listed hash", () => {
  const present = [
    ...readdirSync(vendor),
    ...readdirSync(join(vendor, "fonts")).map((name) => `fonts/${name}`),
  ];
  assert.deepEqual(present.filter((name) => /\.(js|woff2)$/.test(name)).sort(), Object.keys(files).sort());
  for (const [name, { sha256 }] of Object.entries(files)) {
    const bytes = readFileSync(join(vendor, name));
    assert.equal(
      createHash("sha256").update(bytes).digest("hex"),
      sha256,
      `${name} is not what \`make vendor\` wrote`,
    );
  }
});

test("vendored versions equal the versions in the lock file", () => {
  for (const [name, { version, integrity }] of Object.entries(packages)) {
    const locked = lock.packages[`node_modules/${name}`];
    assert.deepEqual({ version, integrity }, { version: locked.version, integrity: locked.integrity }, name);
  }
});

test("every vendored package has its licence text", () => {
  for (const [name, { text }] of Object.entries(packages))
    assert.ok(readFileSync(join(vendor, text), "utf8").length > 500, `${name}: ${text}`);
});

test("a vendored module imports at most its first part and evaluates no text, as the CSP requires", () => {
  for (const name of Object.keys(files).filter((file) => file.endsWith(".js"))) {
    const text = readFileSync(join(vendor, name), "utf8");
    const source = name === "codemirror-more.js" ? text.replace(FIRST_PART, "") : text;
    // in quotes, `import` and `from` are keywords of Python in the editor's grammar
    assert.doesNotMatch(source, /(?<!["'])\b(?:import\s*[("'{]|from\s*["'])|\bnew Function\b|\beval\(/, name);
  }
});

test("the fonts have at most 120 KB", () => {
  const bytes = Object.entries(files)
    .filter(([name]) => name.startsWith("fonts/"))
    .map(([, file]) => file.bytes);
  assert.ok(bytes.reduce((sum, next) => sum + next, 0) <= 120 * 1024);
});

test("each vendored module works", async () => {
  const { h } = await import("../../static/vendor/ui.js");
  assert.equal(h("p", null).type, "p");
  const { EditorState, StreamLanguage } = await import("../../static/vendor/codemirror.js");
  assert.equal(
    EditorState.create({
      doc: "x = 1\ny = 2",
      extensions: [
        StreamLanguage.define({
          token: (stream) => {
            stream.skipToEnd();
            return "comment";
          },
        }),
      ],
    }).doc.lines,
    2,
  );
  const { FluentBundle, FluentResource } = await import("../../static/vendor/fluent.js");
  const bundle = new FluentBundle("en");
  bundle.addResource(
    new FluentResource("steps = { $count -> \n  [one] one step\n *[other] many steps\n }\n"),
  );
  assert.equal(bundle.formatPattern(bundle.getMessage("steps").value, { count: 1 }), "one step");
});
