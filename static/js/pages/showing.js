/** Renders the player and adds its listeners, on a server's page or in a standalone file. */

import { h, render } from "../../vendor/ui.js";
import { listenToBlank } from "../input/blank.js";
import { listen } from "../input/keys.js";
import { listenToSwipes } from "../input/swipe.js";
import { listenToTerms } from "../input/terms.js";
import { App } from "../panes/app.js";
import { loadPresenter } from "../panes/presenting.js";

/** Renders the player into the page. */
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
