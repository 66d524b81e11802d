/** The entry point of the chunk that shows values in the code. The page loads it with the first run. */

export { besideLines } from "./beside.js";
export { valueAtPlace, valuesOnLine } from "./values.js";
