/** Entry of the view chunk: how the page shows a step, written into an address and read from it. */

export { followView, showAs, viewNow } from "./view.js";
