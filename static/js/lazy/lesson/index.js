/** Owns the entry of the lesson chunk, which only the page of a lesson loads. */

import { lessonPage } from "../../panes/lesson-page.js";
import { keepLesson } from "./lesson.js";
import { Panel } from "./lesson-panel.js";
import { isShown, Switch, Verdict } from "./lesson-verdict.js";

/** Turns the page into the page of the lesson that its address names. */
export function showLesson() {
  lessonPage.value = { Panel, Switch, Verdict, isShown };
  keepLesson();
}
