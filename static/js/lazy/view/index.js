/**
 * The entry point of the chunk for views: it writes the view of a step into an address and reads it from an
 * address.
 */

export { arrange, followView, pinsIn, showAs, viewNow } from "./view.js";
