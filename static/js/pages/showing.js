/** Owns the display of the player, with a recording from any source, and its listeners. */

import { h, render } from "../../vendor/ui.js";
import { listenToBlank } from "../input/blank.js";
import { listen } from "../input/keys.js";
import { listenToSwipes } from "../input/swipe.js";
import { listenToTerms } from "../input/terms.js";
import { App } from "../panes/app.js";
import { keepHighlight } from "../panes/pictures/highlight.js";
import { loadPresenter } from "../panes/presenting.js";
import { loadQuestions } from "../panes/story/question.js";
import { keepFitting } from "../panes/pictures/refitting.js";
import { followByClick } from "../panes/pictures/selection-bar.js";

/** Show the player in its place. */
export function showPlayer() {
  const root = /** @type {HTMLElement} */ (document.getElementById("app"));
  root.replaceChildren();
  render(h(App, null), root);
  listenToBlank();
  listen();
  listenToSwipes();
  listenToTerms();
  keepFitting();
  loadQuestions();
  loadPresenter();
  keepHighlight();
  followByClick();
}
