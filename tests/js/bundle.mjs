/**
 * Writes minified scripts and style sheets to static/bundle. The source maps are for development only. Git
 * ignores them, because each changed line would change megabytes of maps.
 *
 * The script of a page is one file with all modules that it imports. Each part that it loads later by
 * `import()` is another file, named after the path of its source. Libraries are imported from static/vendor.
 * File names contain no hash, because the server adds a hash of all files to their addresses.
 *
 * manifest.json contains the hash of the sources, which the server checks, the list of workers, and the
 * imports of each script, for modulepreload. Run this script by `make bundle` after a change of static/js or
 * static/css, and to resolve a merge conflict in static/bundle.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const STATIC = join(dirname(fileURLToPath(import.meta.url)), "../../static");
const JS = join(STATIC, "js");
const CSS = join(STATIC, "css");
const VENDOR = join(STATIC, "vendor");
export const BUNDLE = join(STATIC, "bundle");

/**
 * The entry points: the page, whose lazy parts are separate files; three pages with one file each; and
 * classic scripts for pages, for recordings in one file, and for drawing without a page.
 */
const PAGE = join(JS, "pages/player.js");
/** The part that shows a run. It is loaded before every part in `besideRun`. */
const RUN = join(JS, "lazy/run/index.js");
const GALLERY = join(JS, "pages/gallery.js");
const EMBED = join(JS, "pages/embed.js");
const READER = join(JS, "pages/reader.js");
const CLASSIC = ["theme", "unpack"].map((name) => join(JS, `pages/${name}.js`));
const FILES = ["file", "lecture-file"].map((name) => join(JS, `pages/${name}.js`));
const POSITIONS = join(JS, "pages/positions/index.js");

/** Modules that several parts share and that a first visit does not need. They become separate files. */
const APART = [
  "lazy/export/raster",
  "run/questions/answers",
  "run/values/gradient-sizes",
  "run/values/nonfinite",
  "run/values/wrong-gradients",
  "run/questions/questions",
  "run/questions/truth",
  "run/questions/truth-lookups",
].map((name) => join(JS, `${name}.js`));

/** The options of the plugin `ours` for a script that shares no modules with other parts. */
const NOTHING = { script: null, parts: [], besideRun: [], shared: [] };

/**
 * The parts that the embedded player loads on demand. All its other parts are in one file, because the first
 * picture needs them.
 */
const LATER_IN_FRAME = ["finding", "help", "text-view", "traceback", "why"].map((name) =>
  join(JS, `lazy/${name}/index.js`),
);

const OPTIONS = {
  absWorkingDir: STATIC,
  outdir: BUNDLE,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  sourcemap: "external",
  metafile: true,
  write: false,
  logLevel: "warning",
};

const SPLIT = { splitting: true, chunkNames: "[hash]" };

/**
 * Builds one classic script with all libraries and lazy parts, for a page that is opened from disk and
 * cannot load files. The constants (`define`) remove the code that needs a server.
 */
const ALONE = {
  format: "iife",
  define: { "import.meta.url": "undefined", isFile: "true" },
  plugins: [
    {
      name: "alone",
      setup({ onLoad }) {
        onLoad({ filter: /\/static\/js\/.*\.js$/ }, ({ path }) => ({
          contents: readFileSync(path, "utf8").replace(/^import \{ isFile \} from .*$/m, ""),
        }));
      },
    },
  ],
};

/**
 * Builds all files of the bundle, by name.
 *
 * @returns {Promise<Map<string, string>>}
 */
export async function bundled() {
  const { parts, besideRun, shared, workers } = await partsOf(PAGE);
  const built = await Promise.all([
    buildOf([PAGE, ...parts], SPLIT, { script: PAGE, parts, besideRun, shared }),
    frame(),
    buildOf([GALLERY, READER, ...workers], {}),
    buildOf(CLASSIC, { format: "iife" }),
    build({ ...OPTIONS, ...ALONE, entryPoints: FILES.map(entry) }),
    whole(POSITIONS),
    buildOf(sheets(), {}),
  ]);
  const outputs = Object.assign({}, ...built.map(({ metafile }) => metafile.outputs));
  const names = namesOfShared(outputs);
  const files = new Map();
  for (const { path, text } of built.flatMap(({ outputFiles }) => outputFiles)) {
    files.set(
      renamed(basename(path), names),
      renamed(path.endsWith(".map") ? withSources(text) : text, names),
    );
  }
  const manifest = { sources: digest(), workers: workers.map(fileOf), imports: importsOf(outputs) };
  files.set("manifest.json", `${renamed(JSON.stringify(manifest, null, 1), names)}\n`);
  return new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function buildOf(sources, more, sharing = NOTHING) {
  const plugins = [vendor, ours(sharing)];
  return build({ ...OPTIONS, ...more, entryPoints: sources.map(entry), plugins });
}

async function frame() {
  const { parts } = await partsOf(EMBED);
  const sharing = {
    script: EMBED,
    parts,
    besideRun: [],
    shared: parts.filter((path) => !LATER_IN_FRAME.includes(path)),
  };
  const plugins = [vendor, ours(sharing)];
  const entryPoints = [entry(EMBED), ...parts.map((path) => ({ in: path, out: `embed-${entry(path).out}` }))];
  return build({ ...OPTIONS, ...SPLIT, entryPoints, plugins });
}

/** Builds one script with all modules that it imports, including libraries. */
function whole(source) {
  return build({ ...OPTIONS, format: "iife", entryPoints: [entry(source)] });
}

/**
 * Finds the modules that a script loads later, directly or through other modules. `parts`: modules that it
 * imports by `import()`; `workers`; `besideRun`: the parts that share modules with the panes of a run;
 * `shared`: modules that several parts share, but not the script.
 */
async function partsOf(script) {
  const workers = new Set();
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: [script],
    splitting: true,
    plugins: [vendor, ours(NOTHING, workers)],
  });
  const later = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ kind }) => kind === "dynamic-import"),
  );
  const parts = [...new Set(later.map(({ path }) => join(STATIC, path)))].sort();
  return { parts, workers: [...workers].sort(), ...sharedBy(metafile.inputs, script, parts) };
}

/**
 * Finds the modules that several parts share and that the page's script does not import. `besideRun`: the
 * parts that share modules with the panes of a run. `shared`: the shared modules that these panes do not
 * contain.
 */
function sharedBy(inputs, script, parts) {
  const reached = (path, found = new Set([path])) => {
    for (const { path: next, kind } of inputs[path]?.imports ?? []) {
      if (kind !== "import-statement" || found.has(next)) continue;
      found.add(next);
      reached(next, found);
    }
    return found;
  };
  const below = (path) => relative(STATIC, path);
  const apart = new Set(APART.map(below));
  const known = reached(below(script));
  const of = (part) =>
    [...reached(below(part))].filter((path) => path in inputs && !known.has(path) && !apart.has(path));
  const inRun = new Set(of(RUN));
  const besideRun = parts.filter((part) => part !== RUN && of(part).some((path) => inRun.has(path)));
  const counts = new Map();
  for (const path of parts.flatMap(of)) if (!inRun.has(path)) counts.set(path, (counts.get(path) ?? 0) + 1);
  const shared = [...counts].filter(([, count]) => count > 1).map(([path]) => join(STATIC, path));
  return { besideRun, shared: shared.sort() };
}

/** The style sheets that no other style sheet imports. */
function sheets() {
  const all = readdirSync(CSS).sort();
  const imported = all.flatMap((name) =>
    [...readFileSync(join(CSS, name), "utf8").matchAll(/@import "([^"]+)"/g)].map(([, path]) => path),
  );
  return all.filter((name) => !imported.includes(name)).map((name) => join(CSS, name));
}

function entry(source) {
  return { in: source, out: fileOf(source).replace(/\.\w+$/, "") };
}

/**
 * The file name for an entry point: a page, a part that loads later, or a worker.
 */
function fileOf(source) {
  const path = relative(source.endsWith(".css") ? CSS : JS, source);
  return path
    .replace(/^(?:pages|lazy|io)\//, "")
    .replace(/\/index\.js$/, ".js")
    .replaceAll("/", "-");
}

/**
 * A plugin that leaves libraries and fonts out of the bundle, and corrects their paths for the folder of the
 * importing file.
 */
const vendor = {
  name: "vendor",
  setup({ onResolve }) {
    onResolve({ filter: /\/vendor\// }, ({ path, resolveDir }) => ({
      path: `../${relative(STATIC, resolve(resolveDir, path))}`,
      external: true,
    }));
  },
};

/**
 * A plugin that reads the project's modules. Files that a module names by `new URL("<path>",
 * import.meta.url)` are in the bundle's folder.
 *
 * An import of the page's script is added to each of `parts`, because it is loaded before them. An import of
 * the panes of a run is added to each of `besideRun`, too. Without these imports esbuild would put shared
 * modules into separate files, one for each set of parts. Modules that parts share only with each other
 * (`shared`) are added to the page's script. They are small, and each file needs another request.
 */
function ours({ script, parts, besideRun, shared }, workers = new Set()) {
  return {
    name: "ours",
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        const contents = readFileSync(path, "utf8").replace(
          /new URL\("([^"]+)", import\.meta\.url\)/g,
          (_, named) => {
            const source = resolve(dirname(path), named);
            if (source.startsWith(VENDOR))
              return `new URL("../${relative(STATIC, source)}", import.meta.url)`;
            if (source.endsWith(".js")) workers.add(source);
            return `new URL("./${fileOf(source)}", import.meta.url)`;
          },
        );
        const more = parts.includes(path)
          ? [script, ...(besideRun.includes(path) ? [RUN] : [])].map(
              (each) => `import ${JSON.stringify(each)};`,
            )
          : path === script
            ? shared.map((each) => `export * from ${JSON.stringify(each)};`)
            : [];
        return { contents: [contents, ...more].join(";") };
      });
    },
  };
}

/**
 * Names for the files of shared modules. A name is as long as the hash that it replaces, so that columns in
 * source maps stay the same.
 */
function namesOfShared(outputs) {
  const shared = Object.entries(outputs).filter(([path]) => /^[A-Z0-9]{8}\.js$/.test(basename(path)));
  const first = ([, { inputs }]) => Object.keys(inputs).sort()[0];
  shared.sort((one, other) => (first(one) < first(other) ? -1 : 1));
  return new Map(shared.map(([path], number) => [basename(path, ".js"), `shared-${number + 1}`]));
}

function renamed(text, names) {
  return text.replace(/\b[A-Z0-9]{8}(?=\.js\b)/g, (hash) => names.get(hash) ?? hash);
}

/** Completes a source map with the original text of the project's sources. */
function withSources(map) {
  const read = JSON.parse(map);
  return JSON.stringify({
    ...read,
    sourcesContent: read.sources.map((path) => readFileSync(join(BUNDLE, path), "utf8")),
  });
}

/**
 * For each script of the bundle, the paths below static of all scripts that must be loaded before it runs,
 * including itself.
 */
function importsOf(outputs) {
  const pathOf = (path) => (path.startsWith("../") ? path.slice(3) : path);
  const reached = (path, found = new Set([pathOf(path)])) => {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind !== "import-statement" || found.has(pathOf(next))) continue;
      found.add(pathOf(next));
      reached(next, found);
    }
    return found;
  };
  const scripts = Object.keys(outputs)
    .filter((path) => path.endsWith(".js") && outputs[path].entryPoint !== undefined)
    .sort();
  return Object.fromEntries(scripts.map((path) => [basename(path), [...reached(path)]]));
}

/** The hash of all sources of the bundle, computed in the same way as in app/web/pages/assets.py. */
function digest() {
  const paths = readdirSync(STATIC, { recursive: true })
    .filter((path) => /^(js|css)\/.*\.(js|css)$/.test(path))
    .sort();
  const all = createHash("sha256");
  for (const path of paths)
    all.update(
      `${path} ${createHash("sha256")
        .update(readFileSync(join(STATIC, path)))
        .digest("hex")}\n`,
    );
  return all.digest("hex");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = await bundled();
  rmSync(BUNDLE, { recursive: true, force: true });
  mkdirSync(BUNDLE);
  for (const [name, text] of files) writeFileSync(join(BUNDLE, name), text);
}
