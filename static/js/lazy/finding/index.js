/** The entry point of the chunk for findings. The page loads it with the first run that has findings. */

export { Findings, isExplained } from "./findings.js";
