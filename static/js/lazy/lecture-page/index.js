/** Entry of the lecture's page: parts to scroll, and the list of the plans. */

export { LecturePage } from "./lecture-page.js";
export { Plans } from "./plans.js";
