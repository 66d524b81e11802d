/** Owns the entry of the chunk that opens an address containing code. */

export { openCodeLink } from "./opening.js";
