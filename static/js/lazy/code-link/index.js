/** The entry point of the chunk that opens an address which contains code. */

export { openCodeLink } from "./opening.js";
