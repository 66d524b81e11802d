/** Entry of the chunk of Python's traceback: it loads when one is first opened. */

export { Traceback } from "./traceback.js";
