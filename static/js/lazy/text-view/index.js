/** The entry point of the chunk for the text view. The page loads it with the first picture. */

export { boxItem, graphOutline } from "./graph-outline.js";
export { foldItem, memoryOutline } from "./memory-outline.js";
