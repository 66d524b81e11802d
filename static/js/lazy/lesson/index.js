/** Owns what only the page of a lesson needs; no other visit loads it. */

export { keepLesson } from "./lesson.js";
export { Panel } from "./lesson-panel.js";
export { isShown, Switch, Verdict } from "./lesson-verdict.js";
