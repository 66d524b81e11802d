/** Owns the entry of the chunk for questions, which loads when a visitor predicts, or a room asks. */

export { AnswerForm, optionsOf } from "./answer-form.js";
export { AskedQuestion } from "./asked-question.js";
export { answerOf, slotOf, wordingOf } from "./wording.js";
