/** Owns the sentences about steps, which are loaded with the first run. */

export { stepSentences } from "./sentences.js";
