/**
 * The entry point of the chunk for Python's traceback. The page loads it when a visitor first opens a
 * traceback.
 */

export { Traceback } from "./traceback.js";
