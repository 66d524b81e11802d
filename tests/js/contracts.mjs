/**
 * What each folder of static/js may import, including dynamic imports: the table in app/ARCHITECTURE.md.
 *
 * A folder may import its own modules and those of the folders in its entry. All other imports are errors.
 */

const PURE = ["run", "words", "layout"];
const BELOW_STATE = [...PURE, "io"];
const BELOW_PANES = [...BELOW_STATE, "stage", "state", "session"];

/** @type {Record<string, {may: string[], libraries: string[]}>} */
export const FOLDERS = {
  run: { may: [], libraries: [] },
  words: { may: ["run"], libraries: [] },
  layout: { may: ["run"], libraries: [] },
  stage: { may: ["run", "layout"], libraries: [] },
  io: { may: [...PURE, "stage"], libraries: [] },
  state: { may: BELOW_STATE, libraries: ["fluent", "ui"] },
  session: { may: [...BELOW_STATE, "state"], libraries: ["ui"] },
  panes: { may: BELOW_PANES, libraries: ["codemirror", "ui"] },
  input: { may: [...BELOW_PANES, "panes"], libraries: ["ui"] },
  gallery: { may: [...BELOW_PANES, "panes"], libraries: ["ui"] },
  lazy: {
    may: [...BELOW_PANES, "panes", "input"],
    libraries: ["animation", "codemirror", "codemirror-more", "ui"],
  },
  pages: { may: [...BELOW_PANES, "panes", "input", "gallery", "lazy"], libraries: ["fluent", "ui"] },
};

/** The folders that load later. Each is one part of the page, and is imported only through its index.js. */
const CHUNKS = [
  "layout/engine",
  "lazy/code",
  "lazy/code-link",
  "lazy/compare",
  "lazy/demo",
  "lazy/editing",
  "lazy/embed",
  "lazy/examples",
  "lazy/export",
  "lazy/finding",
  "lazy/help",
  "lazy/lecture",
  "lazy/lecture-page",
  "lazy/legend",
  "lazy/lesson",
  "lazy/presenter",
  "lazy/question",
  "lazy/room",
  "lazy/run",
  "lazy/share",
  "lazy/text-view",
  "lazy/traceback",
  "lazy/view",
  "lazy/why",
  "stage",
  "words/steps",
];

const path = (/** @type {string} */ folder) => `^static/js/${folder}/`;

/** @type {import("dependency-cruiser").IForbiddenRuleType[]} */
export const forbidden = [
  { name: "no circle", severity: "error", from: {}, to: { circular: true } },
  { name: "every import leads to a file", severity: "error", from: {}, to: { couldNotResolve: true } },
  ...Object.entries(FOLDERS).map(([folder, { may, libraries }]) => ({
    name: `${folder} imports what stands below it`,
    severity: /** @type {const} */ ("error"),
    from: { path: path(folder) },
    to: {
      pathNot: [folder, ...may].map(path).concat(libraries.map((name) => `^static/vendor/${name}\\.js$`)),
    },
  })),
  ...CHUNKS.flatMap((chunk) => [
    {
      name: `${chunk} is entered by its index`,
      severity: /** @type {const} */ ("error"),
      from: { path: "^static/js/", pathNot: path(chunk) },
      to: { path: path(chunk), pathNot: `${path(chunk)}index\\.js$` },
    },
    {
      name: `${chunk} is loaded later`,
      severity: /** @type {const} */ ("error"),
      from: { path: "^static/js/", pathNot: path(chunk) },
      to: { path: path(chunk), dependencyTypesNot: /** @type {const} */ (["dynamic-import"]) },
    },
  ]),
];
