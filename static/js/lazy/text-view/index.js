/** Entry of the text view chunk: nothing needs it before the first picture. */

export { boxItem, graphOutline } from "./graph-outline.js";
export { foldItem, memoryOutline } from "./memory-outline.js";
