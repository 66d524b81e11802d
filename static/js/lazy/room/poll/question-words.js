/** Owns the loading of the chunk of questions (its form and its words), which prediction uses, too. */

import { loadChunk } from "../../../panes/chunks.js";

/** @import {QuestionChunk} from "../../../panes/chunks.js" */

/** @type {QuestionChunk | null} */
let chunk = null;

/** Loads the chunk, once. */
export async function loadQuestionWords() {
  chunk = await loadChunk("question");
}

/** The chunk. It is loaded before anything of a question is shown. */
export function words() {
  return /** @type {QuestionChunk} */ (chunk);
}
