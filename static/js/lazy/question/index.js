/**
 * The entry point of the chunk for questions. The page loads it in prediction mode, or when a question is
 * asked in a room.
 */

export { AnswerForm, optionsOf } from "./answer-form.js";
export { AskedQuestion } from "./asked-question.js";
export { answerOf, slotOf, wordingOf } from "./wording.js";
