/** Entry of the question's chunk: nothing needs it before a visitor predicts, or a room asks. */

export { AnswerForm, optionsOf } from "./answer-form.js";
export { AskedQuestion } from "./asked-question.js";
export { answerOf, slotOf, wordingOf } from "./wording.js";
