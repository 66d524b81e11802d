/**
 * Owns the entry of the view chunk, which writes the view of a step into an address and reads views from
 * addresses.
 */

export { arrange, followView, pinsIn, showAs, viewNow } from "./view.js";
