/** Entry of the question's chunk: nothing needs it before a visitor predicts. */

export { AskedQuestion } from "./asked-question.js";
