/** Owns the text view's words: nobody reads them before the first picture is there. */

export { boxItem, graphOutline, memoryOutline } from "./outline.js";
