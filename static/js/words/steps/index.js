/** Owns the sentences about steps, which nobody needs before a run is there. */

export { stepSentences as storyOf } from "./sentences.js";
