/**
 * Owns the loading of the chunk of questions, which contains their form and their words. Prediction uses
 * this chunk, too.
 */

import { loadChunk } from "../../../panes/chunks.js";

/** @import {QuestionChunk} from "../../../panes/chunks.js" */

/** @type {QuestionChunk | null} */
let chunk = null;

/** Loads the chunk, once. */
export async function loadQuestionWords() {
  chunk = await loadChunk("question");
}

/** The chunk, which is loaded before a question is shown. */
export function words() {
  return /** @type {QuestionChunk} */ (chunk);
}
