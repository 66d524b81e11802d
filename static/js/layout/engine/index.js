/** Owns the layout of the graph, which is loaded with the first run. */

export { graphLayout } from "./engine.js";
