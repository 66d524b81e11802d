/** The entry point of the chunk for help: the help dialog, the glossary, and the dialog about a run. */

export { About } from "./about.js";
export { openTerm } from "./glossary.js";
export { Help } from "./help.js";
