/** Owns the layout of the graph, which nobody needs before a run is there. */

export { graphLayout, warmUp } from "./engine.js";
