/** Owns the sentences about steps and the summary of a run, which are loaded with the first run. */

export { stepSentences } from "./sentences.js";
export { summaryOf } from "./summary.js";
