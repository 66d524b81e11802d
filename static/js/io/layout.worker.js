/**
 * Lays out graphs in a web worker. The worker builds its copies of runs from the same texts as the page, and
 * returns only layouts.
 */

import { indexing } from "../run/facts.js";
import { addPiece, noTables } from "../run/pieces.js";
import { finished } from "../run/slices.js";

/** @import {Finding, Trace} from "../run/trace.d.ts" */
/** @import {FoldedBy, Index, Measures} from "../run/types.d.ts" */

/**
 * @typedef {(
 *   | {kind: "run", run: number, findings: Finding[]}
 *   | {kind: "piece", run: number, text: string}
 *   | {kind: "forget", run: number}
 *   | {
 *       kind: "layout",
 *       run: number,
 *       number: number,
 *       measures: Measures,
 *       by: FoldedBy,
 *       chosen: Set<string> | undefined,
 *       isFolded: boolean,
 *     }
 *   | {kind: "drop", number: number}
 * )} Task
 */

const engine = import("../layout/engine/index.js");
engine.then(
  () => self.postMessage({ kind: "ready" }),
  (error) => self.postMessage({ kind: "failed", error: String(error) }),
);

/**
 * The tables of a run, as far as its texts have arrived. `index`: null until a layout of the run is
 * requested.
 * @typedef {{
 *   findings: Finding[],
 *   trace: ReturnType<typeof noTables> & Partial<Trace>,
 *   index: Index | null,
 * }} Held
 */
/** @type {Map<number, Held>} */
const runs = new Map();
/** @type {Map<string, Measures>} */
const known_measures = new Map();
/** All requests up to this number were cancelled. */
let dropped = 0;

/** @param {Task} task */
async function answer(task) {
  if (task.kind === "run") runs.set(task.run, { findings: task.findings, trace: noTables(), index: null });
  else if (task.kind === "piece") add(task.run, task.text);
  else if (task.kind === "forget") runs.delete(task.run);
  else if (task.kind === "drop") dropped = task.number;
  else {
    const { number, by, chosen, isFolded } = task;
    const { graphLayout } = await engine;
    if (number <= dropped) return;
    const index = indexOf(task.run);
    self.postMessage({ kind: "begun" });
    const layout = graphLayout(index, { measures: same(task.measures), by, chosen, isFolded });
    self.postMessage({ kind: "laid", number, layout });
  }
}

/**
 * Returns the same object for all equal measures, because the engine's cache uses the object as its key.
 * @param {Measures} measures
 * @returns {Measures}
 */
function same(measures) {
  const key = JSON.stringify(measures);
  const known = known_measures.get(key) ?? measures;
  known_measures.set(key, known);
  return known;
}

/**
 * Adds a text to a run: a piece of its trace, or a whole document.
 * @param {number} run
 * @param {string} text
 */
function add(run, text) {
  const read = JSON.parse(text);
  const piece = read.document?.trace ?? read.trace ?? read;
  const trace = runs.get(run)?.trace;
  if (trace === undefined) return;
  const { source, header, ended } = piece;
  Object.assign(trace, source === undefined ? {} : { source, header, ended });
  addPiece(trace, piece);
}

/**
 * @param {number} number
 * @returns {Index}
 */
function indexOf(number) {
  const run = runs.get(number);
  if (run === undefined) throw new Error(`Run ${number} is not here.`);
  const trace = /** @type {Trace & ReturnType<typeof noTables>} */ (run.trace);
  run.index ??= finished(indexing(trace, { findings: run.findings }));
  return run.index;
}

self.onmessage = (/** @type {MessageEvent<Task>} */ { data }) => {
  answer(data).catch((error) => self.postMessage({ kind: "failed", error: String(error) }));
};
