/**
 * Writes static/vendor: each library as one self-contained ES module, the fonts, their licences, and
 * VENDOR.json. One module is in two files, because its second part loads later (`codemirror-more`).
 *
 * This script is next to package.json, which pins the packages, because only the tests of Stepgrad need
 * Node. The exports of a file are written by hand in static/vendor/<name>.d.ts. TypeScript reads this
 * declaration to check the users of the file, and esbuild bundles it, without its types, to make the file.
 * Run the script by `make vendor` after a change of package.json or of a declaration.
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "acorn";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const vendor = join(here, "../../static/vendor");
const lock = readJson(join(here, "package-lock.json"));

/**
 * The library modules. The value is the module that a module imports instead of containing a copy of it, or
 * null.
 */
const modules = {
  ui: null,
  codemirror: null,
  "codemirror-more": "codemirror",
  fluent: null,
  animation: null,
};
const fonts = {
  "inter.woff2": "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  "jetbrains-mono.woff2": "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
};

// Packages that contain no licence text. Their licence texts were added to static/vendor/licences by hand.
const textsByHand = { "@fluent/bundle": "licences/apache-2.0.txt" };

mkdirSync(join(vendor, "licences"), { recursive: true });
mkdirSync(join(vendor, "fonts"), { recursive: true });

const files = {};
for (const [name, shared] of Object.entries(modules)) {
  const packages = await bundle(name, shared);
  files[`${name}.js`] = describe(`${name}.js`, packages);
}
for (const [name, source] of Object.entries(fonts)) {
  copyFileSync(join(here, "node_modules", source), join(vendor, "fonts", name));
  files[`fonts/${name}`] = describe(`fonts/${name}`, [packageOf(source)]);
}
const packages = [...new Set(Object.values(files).flatMap((file) => file.packages))].sort();
const inventory = {
  files,
  packages: Object.fromEntries(packages.map((name) => [name, describePackage(name)])),
};
writeFileSync(join(vendor, "VENDOR.json"), `${JSON.stringify(inventory, null, 2)}\n`);

/** Bundles the exports of `<name>.d.ts` into `<name>.js`. Returns the packages that it contains. */
async function bundle(name, shared) {
  const result = await build({
    stdin: {
      contents: readFileSync(join(vendor, `${name}.d.ts`), "utf8"),
      loader: "ts",
      resolveDir: here,
      sourcefile: name,
    },
    absWorkingDir: here,
    outfile: join(vendor, `${name}.js`),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    legalComments: "none",
    charset: "utf8",
    banner: {
      js: `/* Made by tests/js/vendor.mjs: what is inside, and its licences, stands in VENDOR.json. */`,
    },
    plugins: shared === null ? [] : [importing(`./${shared}.js`, valuesOf(shared))],
    metafile: true,
    logLevel: "warning",
  });
  const [output] = Object.values(result.metafile.outputs);
  const used = Object.keys(output.inputs).filter((path) => path.includes("node_modules/"));
  return [...new Set(used.map((path) => packageOf(path.split("node_modules/").pop())))].sort();
}

/** The names of the values that a module exports. */
function valuesOf(name) {
  const text = readFileSync(join(vendor, `${name}.d.ts`), "utf8");
  return new Set([...text.matchAll(/^export \{([^}]+)\}/gm)].flatMap(([, names]) => names.match(/\w+/g)));
}

/** An esbuild plugin that makes packages import the given values from a file instead of declaring them. */
function importing(file, values) {
  return {
    name: "importing",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\/[\w-]+\.js$/ }, ({ path }) =>
        path === file ? { path, external: true } : null,
      );
      onLoad({ filter: /@codemirror\/(state|view|language)\/dist\/index\.js$/ }, ({ path }) => ({
        contents: without(readFileSync(path, "utf8"), file, values),
      }));
    },
  };
}

/**
 * The source of a package, which imports `values` from `file` instead of declaring them. Only the other
 * declarations are kept, because the editor's first part already has the effects of other statements.
 */
function without(source, file, values) {
  const { body } = parse(source, { ecmaVersion: "latest", sourceType: "module" });
  const nameOf = ({ id, declarations }) => (id ?? declarations?.[0].id)?.name;
  const names = body.map(nameOf).filter((name) => values.has(name));
  const rest = body.filter((node) => /Declaration$/.test(node.type) && !names.includes(nameOf(node)));
  const text = rest.map(({ start, end }) => source.slice(start, end)).join("\n");
  return `import { ${names.join(", ")} } from "${file}";\n${text}`;
}

/** The package of a path below node_modules. */
function packageOf(path) {
  return path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/");
}

function describe(file, packages) {
  const bytes = readFileSync(join(vendor, file));
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex"), packages };
}

/**
 * The version, the integrity that npm verified on install, and the licence, which is copied into the same
 * folder.
 */
function describePackage(name) {
  const { version, license } = readJson(join(here, "node_modules", name, "package.json"));
  const { integrity } = lock.packages[`node_modules/${name}`];
  return { version, integrity, licence: license, text: licenceText(name) };
}

function licenceText(name) {
  if (textsByHand[name]) {
    return textsByHand[name];
  }
  const folder = join(here, "node_modules", name);
  const text = readdirSync(folder).find((file) => /^licen[cs]e(\.\w+)?$/i.test(file));
  if (!text) {
    throw new Error(`${name} comes without a licence text: keep one by hand in static/vendor/licences`);
  }
  const copy = `licences/${name.replace("@", "").replace("/", "-")}.txt`;
  copyFileSync(join(folder, text), join(vendor, copy));
  return copy;
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
