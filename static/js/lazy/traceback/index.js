/** Owns the entry of the chunk for Python's traceback, which loads when a traceback is first opened. */

export { Traceback } from "./traceback.js";
