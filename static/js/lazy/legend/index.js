/** Entry of the legend's chunk; a page without a run does not load it. */

export { LegendEntries } from "./entries.js";
export { Legend } from "./legend.js";
