/** Owns the entry of the view chunk, which writes into an address, and reads, how the page shows a step. */

export { arrange, followView, pinsIn, showAs, viewNow } from "./view.js";
