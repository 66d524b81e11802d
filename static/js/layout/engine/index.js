/** The entry of the graph's layout engine, which is loaded with the first run. */

export { graphLayout } from "./engine.js";
