/** Owns the sentences about steps, which are loaded with the first run. */

export { stepSentences as storyOf } from "./sentences.js";
