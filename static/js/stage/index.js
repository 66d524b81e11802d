/** The entry point of the code that draws both pictures. The page loads it with the first run. */

export { drawGraph, graphShapes } from "./graph-picture.js";
export { drawMemory, memoryShapes } from "./memory-picture.js";
export { drawLinks, staleTensors, wayBetween } from "./stale-lines.js";
export { el } from "./svg.js";
