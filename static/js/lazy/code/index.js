/** Owns the entry of the chunk for values in the code, which loads with the first run. */

export { besideLines } from "./beside.js";
export { valueAtPlace, valuesOnLine } from "./values.js";
