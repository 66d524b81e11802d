/** The entry point of the chunk for lessons, which only the page of a lesson loads. */

import { lessonPage } from "../../panes/lesson-page.js";
import { keepLesson } from "./lesson.js";
import { Panel } from "./lesson-panel.js";
import { isShown, Switch, Verdict } from "./lesson-verdict.js";

/** Adds the panels of the lesson that the address names to the page. */
export function showLesson() {
  lessonPage.value = { Panel, Switch, Verdict, isShown };
  keepLesson();
}
