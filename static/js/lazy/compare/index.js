/** The entry point of the chunk for comparisons. The page loads it with the first comparison. */

import { loadStylesheet } from "../../io/stylesheets.js";
import { registerView } from "../../panes/replay-views.js";
import { applyFix, compareFix, comparePrograms } from "./candidates.js";
import { CompareMenu } from "./compare-menu.js";
import { Compare, spokenOfBoth } from "./compare-view.js";
import { openComparison, openComparisonOf } from "./opening.js";

/** @import {CompareChunk} from "../../panes/chunks.js" */

await loadStylesheet(new URL("../../../css/compare.css", import.meta.url));
registerView("comparison", { View: Compare, spoken: spokenOfBoth, look: () => "with-both" });

/** @type {CompareChunk} */
export const compare = {
  Menu: CompareMenu,
  applyFix,
  compareFix,
  comparePrograms,
  open: openComparisonOf,
  show: openComparison,
};
