/** The entry of the stage, which draws both pictures and is loaded with the first run. */

export { drawGraph, graphShapes } from "./graph-picture.js";
export { drawMemory, memoryShapes } from "./memory-picture.js";
export { drawLinks, staleTensors, wayBetween } from "./stale-lines.js";
export { el } from "./svg.js";
