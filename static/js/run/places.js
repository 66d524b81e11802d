/** Owns the location of a step in the code: file, line and text. Pure. */

import { linesOf } from "./legible.js";
import { perTrace } from "./per-run.js";
import { spanOf } from "./step-tree.js";

/** @import {Place} from "./trace.d.ts" */
/** @import {Index, Stop} from "./types.d.ts" */

/** By the step of an operator, the line of a write in code that no step covers. */
const placed = perTrace(
  ({ writes }) =>
    new Map(writes.flatMap(({ step, place }) => (step === null || place == null ? [] : [[step, place]]))),
);

/**
 * The line of a step as an argument of a sentence: a number, or "layer.py:2" in another file; 0: none.
 * @param {Index} index
 * @param {number | null | undefined} id
 * @returns {number | string}
 */
export function placeOfStep(index, id) {
  const place = placed(index).get(id ?? -1) ?? spanOf(index.steps, index.steps[id ?? -1]);
  return place === undefined ? 0 : told(index, place);
}

/**
 * @param {Pick<Index, "files">} index
 * @param {Place} place
 * @returns {number | string}
 */
export function told({ files }, { line, file }) {
  return file == null ? line : `${files[file]?.path ?? "?"}:${line}`;
}

/**
 * The recorded text of a file, or the run's own source for null.
 * @param {Pick<Index, "files" | "source">} index
 * @param {number | null | undefined} file
 */
export function sourceOf({ files, source }, file) {
  return file == null ? source : (files[file]?.text ?? "");
}

/**
 * The file of a stop; null: the run's own source.
 * @param {Stop | undefined} stop
 */
export function fileOf(stop) {
  return stop?.span?.file ?? null;
}

/**
 * The code of a stop: its first line, or all of its lines.
 * @param {Index} index
 * @param {Stop | undefined} stop
 * @param {boolean} [isWhole]
 */
export function codeOf(index, stop, isWhole = false) {
  const { line = 1, end_line = line, file } = stop?.span ?? {};
  return linesOf({ source: sourceOf(index, file) }, line, isWhole ? end_line : line);
}
