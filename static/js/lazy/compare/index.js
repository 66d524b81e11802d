/** Owns what only a comparison of two runs needs; no other visit loads it. */

export { compareFix, comparePrograms } from "./candidates.js";
export { Choices } from "./compare-menu.js";
export {
  addressOf,
  begin,
  loadStylesheet as dress,
  keptBoth,
  leaveComparison,
  wantedBy,
} from "./comparing.js";
export { bothWithGranularity, roundFrom, statementFrom, warningsOf } from "./comparison.js";
export { Compare, spokenOfBoth } from "./compare-view.js";
