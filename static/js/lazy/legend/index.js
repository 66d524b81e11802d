/** Entry of the chunk of the legend: a page without a run has none. */

export { LegendEntries } from "./entries.js";
export { Legend } from "./legend.js";
