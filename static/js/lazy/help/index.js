/** Owns the entry of the help chunk: the help, the glossary, and the facts about a run. */

export { About } from "./about.js";
export { openTerm } from "./glossary.js";
export { Help } from "./help.js";
