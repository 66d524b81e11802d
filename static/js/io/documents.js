/** Owns how a document becomes the index of its run, while the page answers in between. */

import { indexing } from "../run/facts.js";
import { addPiece, noTables } from "../run/pieces.js";
import { keepTexts } from "./graph-layout.js";
import { inSlices } from "./slices.js";

/** @import {Received} from "./api.js" */
/** @import {Index} from "../run/types.d.ts" */

/**
 * The index of a document.
 * @param {Received} received
 * @param {AbortSignal} signal
 * @returns {Promise<Index>}
 */
export async function indexFrom({ document, text }, signal) {
  const { trace, ...about } = document;
  const tables = noTables();
  addPiece(tables, trace);
  const index = await inSlices(indexing({ ...trace, ...tables }, about), signal);
  keepTexts(index, [text]);
  return index;
}
