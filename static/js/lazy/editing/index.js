/**
 * The entry point of the chunk for find and completion. The page loads it when a visitor first uses either.
 */

import { loadRunWords } from "../../state/words.js";

await loadRunWords();

export { openSearchPanel as openFind, startCompletion as complete } from "../../../vendor/codemirror-more.js";
export { extras } from "./extras.js";
