/**
 * Owns the entry of the view chunk. It writes into an address, and reads from one, how the page shows a
 * step.
 */

export { arrange, followView, pinsIn, showAs, viewNow } from "./view.js";
