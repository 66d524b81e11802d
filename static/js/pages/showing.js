/** Owns the display of the player, with a recording from any source, and its listeners. */

import { h, render } from "../../vendor/ui.js";
import { listenToBlank } from "../input/blank.js";
import { listen } from "../input/keys.js";
import { listenToSwipes } from "../input/swipe.js";
import { listenToTerms } from "../input/terms.js";
import { App } from "../panes/app.js";
import { loadPresenter } from "../panes/presenting.js";

/** Show the player in its place. */
export function showPlayer() {
  const root = /** @type {HTMLElement} */ (document.getElementById("app"));
  root.replaceChildren();
  render(h(App, null), root);
  listenToBlank();
  listen();
  listenToSwipes();
  listenToTerms();
  loadPresenter();
}
