/** The entry of the legend's chunk, which only a page with a run loads. */

export { LegendEntries } from "./entries.js";
export { Legend } from "./legend.js";
