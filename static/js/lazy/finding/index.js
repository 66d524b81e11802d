/** Owns the entry of the chunk for findings, which loads with the first run that has findings. */

export { Findings, isExplained } from "./findings.js";
