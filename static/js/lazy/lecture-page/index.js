/** The entry point of the chunk for the page of a lecture and the list of plans. */

export { LecturePage } from "./lecture-page.js";
export { Plans } from "./plans.js";
