/** Entry of the chunk of values in the code: nothing needs them before a run is looked at. */

export { besideLines } from "./beside.js";
export { valueAtPlace, valuesOnLine } from "./values.js";
