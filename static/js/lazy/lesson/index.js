/** Entry of the lesson chunk: only the page of a lesson loads it. */

export { keepLesson } from "./lesson.js";
export { Panel } from "./lesson-panel.js";
export { isShown, Switch, Verdict } from "./lesson-verdict.js";
