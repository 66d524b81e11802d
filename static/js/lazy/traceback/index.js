/** Owns the entry of the chunk for Python's traceback, which loads when one is first opened. */

export { Traceback } from "./traceback.js";
