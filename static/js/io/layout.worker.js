/**
 * Owns the layout of graphs in its worker. It builds its runs from the same texts as the page, and returns
 * only layouts.
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
 * )} Told
 */

const engine = import("../layout/engine/index.js");
engine.then(
  () => self.postMessage({ kind: "ready" }),
  (error) => self.postMessage({ kind: "failed", error: String(error) }),
);

/**
 * A run as far as it is here; `index`: once it was asked for.
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
/** Layouts up to this number are not wanted any more. */
let dropped = 0;

/** @param {Told} told */
async function answer(told) {
  if (told.kind === "run") runs.set(told.run, { findings: told.findings, trace: noTables(), index: null });
  else if (told.kind === "piece") add(told.run, told.text);
  else if (told.kind === "forget") runs.delete(told.run);
  else if (told.kind === "drop") dropped = told.number;
  else {
    const { number, by, chosen, isFolded } = told;
    const { graphLayout } = await engine;
    if (number <= dropped) return;
    const index = indexOf(told.run);
    self.postMessage({ kind: "begun" });
    const layout = graphLayout(index, { measures: same(told.measures), by, chosen, isFolded });
    self.postMessage({ kind: "laid", number, layout });
  }
}

/**
 * The same object for the same sizes, under which the engine keeps what it found.
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
 * Adds a piece, or the trace of a whole document.
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

self.onmessage = (/** @type {MessageEvent<Told>} */ { data }) => {
  answer(data).catch((error) => self.postMessage({ kind: "failed", error: String(error) }));
};
