/** Entry of the findings' chunk: nothing needs it before a run that has findings. */

export { Findings, isExplained } from "./findings.js";
