/** Builds the index of a run from its document, in slices, so that the page stays responsive. */

import { indexing } from "../run/facts.js";
import { addPiece, noTables } from "../run/pieces.js";
import { ApiError, piecesOfTrace } from "./api.js";
import { Recorded } from "./graph-layout.js";
import { inSlices, pause } from "./slices.js";

/** @import {DocumentApart, Received} from "./api.js" */
/** @import {Progress} from "./progress.js" */
/** @import {Trace} from "../run/trace.d.ts" */
/** @import {Index} from "../run/types.d.ts" */

/**
 * Resolves to the index of a run. Rejects if the signal is aborted, or if a piece of the trace is missing.
 * @param {Received} received
 * @param {AbortSignal} signal
 * @param {(progress: Progress) => void} onProgress
 * @returns {Promise<Index>}
 */
export async function indexFrom({ document, text }, signal, onProgress) {
  const recorded = new Recorded(document.findings ?? []);
  const tables = noTables();
  const about =
    "trace" in document
      ? document.trace
      : await readPieces(document, { recorded, tables, signal, onProgress });
  if ("trace" in document) {
    recorded.add(text);
    addPiece(tables, document.trace);
  }
  const { source, header, ended } = about;
  const index = await inSlices(
    indexing({ source, header, ...(ended && { ended }), ...tables }, document),
    signal,
  );
  recorded.isOf(index);
  return index;
}

/**
 * @typedef {{
 *   recorded: Recorded,
 *   tables: ReturnType<typeof noTables>,
 *   signal: AbortSignal,
 *   onProgress: (progress: Progress) => void,
 * }} Into
 */

/**
 * Reads the trace of a large document.
 * @param {DocumentApart} document
 * @param {Into} into
 * @returns {Promise<Pick<Trace, "source" | "header" | "ended">>}
 */
async function readPieces({ recording }, { recorded, tables, signal, onProgress }) {
  let [head, read] = [/** @type {(Trace & {pieces: number}) | null} */ (null), 0];
  for await (const text of piecesOfTrace(recording, signal)) {
    signal.throwIfAborted();
    const piece = JSON.parse(text);
    head ??= piece;
    recorded.add(text);
    await pause();
    addPiece(tables, piece);
    read += 1;
    onProgress({ phase: "reading", percent: Math.floor((100 * read) / (head?.pieces ?? 1)) });
    await pause();
  }
  if (head === null || read < head.pieces) throw new ApiError(0, "broken");
  return head;
}
