/** Owns the sentences about steps, which nobody needs before a run is there. */

export { storyOf } from "./sentences.js";
