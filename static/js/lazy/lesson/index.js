/** Entry of the lesson chunk: only the page of a lesson loads it. */

import { lessonPage } from "../../panes/lesson-page.js";
import { keepLesson } from "./lesson.js";
import { Panel } from "./lesson-panel.js";
import { isShown, Switch, Verdict } from "./lesson-verdict.js";

/** Make the page that of the lesson that its address names. */
export function showLesson() {
  lessonPage.value = { Panel, Switch, Verdict, isShown };
  keepLesson();
}
