/** Loads the chunk with the form and the texts of questions. Prediction mode uses the same chunk. */

import { loadChunk } from "../../../panes/chunks.js";

/** @import {QuestionChunk} from "../../../panes/chunks.js" */

/** @type {QuestionChunk | null} */
let chunk = null;

/** Loads the chunk, once. */
export async function loadQuestionWords() {
  chunk = await loadChunk("question");
}

/** The chunk for questions. The chunk must be loaded before this function is called. */
export function words() {
  return /** @type {QuestionChunk} */ (chunk);
}
