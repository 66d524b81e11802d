/** Entry of the text view chunk: nothing needs it before the first picture. */

export { boxItem, graphOutline, memoryOutline } from "./outline.js";
