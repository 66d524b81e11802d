/** Owns what few visits need: the help, the glossary, and what a run was made with. */

export { About } from "./about.js";
export { openTerm } from "./glossary.js";
export { Help } from "./help.js";
