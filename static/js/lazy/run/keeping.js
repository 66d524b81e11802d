/** Owns what is kept up to date while runs are shown. */

import { keepHighlight } from "../../panes/pictures/highlight.js";
import { keepFitting } from "../../panes/pictures/refitting.js";
import { followByClick } from "../../panes/pictures/selection-bar.js";
import { loadQuestions } from "../../panes/story/question.js";

/** Begin to keep it, for the lifetime of the page. */
export function keepWithRun() {
  keepFitting();
  loadQuestions();
  keepHighlight();
  followByClick();
}
