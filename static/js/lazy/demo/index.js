/** Entry of the demonstration: nothing needs it before the start page is idle. */

export { Demo } from "./demo.js";
