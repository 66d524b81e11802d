/** Owns the layout of the graph, which nobody needs before a run is there. */

export { graphLayout, isWarm, warmUp } from "./engine.js";
