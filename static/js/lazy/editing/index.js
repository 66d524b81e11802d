/** Entry of the chunk that finds and completes in the editor. It loads when a visitor first does either. */

import { loadRunWords } from "../../state/words.js";

await loadRunWords();

export { openSearchPanel as openFind, startCompletion as complete } from "../../../vendor/codemirror-more.js";
export { extras } from "./extras.js";
