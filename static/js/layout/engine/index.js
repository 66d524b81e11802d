/** The entry point of the layout engine for graphs. The page loads the engine with the first run. */

export { graphLayout } from "./engine.js";
