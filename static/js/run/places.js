/** Owns where a step is in the code: its file, its line and the text of the line. Pure. */

import { linesOf } from "./legible.js";
import { perTrace } from "./per-run.js";
import { spanOf } from "./step-tree.js";

/** @import {Place} from "./trace.d.ts" */
/** @import {Index, Stop} from "./types.d.ts" */

/**
 * For operators that wrote from a library, whose statements are not recorded: the line of the write, by the
 * operator's step.
 */
const placed = perTrace(
  ({ writes }) =>
    new Map(writes.flatMap(({ step, place }) => (step === null || place == null ? [] : [[step, place]]))),
);

/**
 * The line of a step for use in a sentence: a number, or "layer.py:2" in another file; 0 if no line is
 * known.
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
 * The text of a recorded file; null stands for the run's own source.
 * @param {Pick<Index, "files" | "source">} index
 * @param {number | null | undefined} file
 */
export function sourceOf({ files, source }, file) {
  return file == null ? source : (files[file]?.text ?? "");
}

/**
 * The number of the file that contains the stop's line; null: the run's own source.
 * @param {Stop | undefined} stop
 */
export function fileOf(stop) {
  return stop?.span?.file ?? null;
}

/**
 * The code of a stop: its first line, or all of its lines if `isWhole`.
 * @param {Index} index
 * @param {Stop | undefined} stop
 * @param {boolean} [isWhole]
 */
export function codeOf(index, stop, isWhole = false) {
  const { line = 1, end_line = line, file } = stop?.span ?? {};
  return linesOf({ source: sourceOf(index, file) }, line, isWhole ? end_line : line);
}
