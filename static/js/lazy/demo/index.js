/** The entry of the demonstration, which loads when the start page is idle. */

export { Demo } from "./demo.js";
