/** Owns the sentences about steps and the summary of a run, which are loaded with the first run. */

export { pointersIn } from "../../run/pointers.js";
export { stepSentences } from "./sentences.js";
export { summaryOf } from "./summary.js";
