/** Entry of the code-link chunk: it opens an address that holds its code itself. */

export { openCodeLink } from "./opening.js";
