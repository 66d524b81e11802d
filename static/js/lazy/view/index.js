/** Entry of the view chunk: how the page shows a step, written into an address and read from it. */

export { arrange, followView, pinsIn, showAs, viewNow } from "./view.js";
