/** Adds the listeners that keep the panes of a run up to date. */

import { keepHighlight } from "../../panes/pictures/highlight.js";
import { keepFitting } from "../../panes/pictures/refitting.js";
import { followByClick } from "../../panes/pictures/selection-bar.js";
import { loadQuestions } from "../../panes/story/question.js";

/** Adds the listeners of the panes, which are never removed. */
export function keepWithRun() {
  keepFitting();
  loadQuestions();
  keepHighlight();
  followByClick();
}
