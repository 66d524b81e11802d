/** The entry point of the chunk for the legend, which only pages with a run load. */

export { LegendEntries } from "./entries.js";
export { Legend } from "./legend.js";
