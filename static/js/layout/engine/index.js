/** The entry of the graph's layout, which is loaded with the first run. */

export { graphLayout } from "./engine.js";
