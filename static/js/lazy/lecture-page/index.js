/** Owns the entry of the chunk of a lecture's page, and of the list of plans. */

export { LecturePage } from "./lecture-page.js";
export { Plans } from "./plans.js";
