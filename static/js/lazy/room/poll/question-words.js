/** Owns the chunk of questions, which a room shares with prediction: its form and its words. */

import { loadChunk } from "../../../panes/chunks.js";

/** @import {QuestionChunk} from "../../../panes/chunks.js" */

/** @type {QuestionChunk | null} */
let chunk = null;

/** Load it, once. */
export async function loadQuestionWords() {
  chunk = await loadChunk("question");
}

/** Once it is there: nothing of a poll is shown before. */
export function words() {
  return /** @type {QuestionChunk} */ (chunk);
}
