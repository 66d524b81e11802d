/** Entry of the text view chunk: nothing needs it before the first picture. */

export { boxItem, graphOutline } from "./graph-outline.js";
export { memoryOutline } from "./memory-outline.js";
