/** Owns the entry of the chunk for the text view, which loads with the first picture. */

export { boxItem, graphOutline } from "./graph-outline.js";
export { foldItem, memoryOutline } from "./memory-outline.js";
