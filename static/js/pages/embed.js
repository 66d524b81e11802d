/** Starts the player in a frame of another page. */

import { effect, h, render } from "../../vendor/ui.js";
import { listenToSwipes } from "../input/swipe.js";
import { listenToTerms } from "../input/terms.js";
import { boot } from "../io/boot.js";
import { provideChunks } from "../panes/chunks.js";
import { loadCards } from "../panes/finding-cards.js";
import { provideParts } from "../session/running.js";
import { pageWidth } from "../state/room.js";
import { replay } from "../state/store.js";
import { language, loadWords, speak } from "../state/words.js";

provideChunks({
  help: () => import("../lazy/help/index.js"),
  textView: () => import("../lazy/text-view/index.js"),
  why: () => import("../lazy/why/index.js"),
  traceback: () => import("../lazy/traceback/index.js"),
  finding: () => import("../lazy/finding/index.js"),
});
provideParts({ findings: loadCards });

/**
 * After its width changed, the frame must keep the new width for this time in ms before the picture is laid
 * out again.
 */
const PAUSE_MS = 250;

async function start() {
  const { Player, listen, listenToPageAround, openRecording, tellHeight } = await import(
    "../lazy/embed/index.js"
  );
  await loadWords(language.peek()).catch(() => speak("en"));
  document.documentElement.lang = language.peek();
  const root = /** @type {HTMLElement} */ (document.getElementById("app"));
  root.replaceChildren();
  render(h(Player, null), root);
  listen();
  listenToSwipes();
  listenToTerms();
  fitToFrame();
  if (boot.embed === undefined || boot.snippet_id === null) return;
  const { ancestors } = boot.embed;
  listenToPageAround(ancestors);
  tellHeight(ancestors, /** @type {HTMLElement} */ (root.firstElementChild));
  await openRecording(boot.snippet_id, boot.embed);
}

/** Lays the picture out again after the width of the frame changed. */
function fitToFrame() {
  let timer = 0;
  let before = pageWidth.peek();
  effect(() => {
    if (pageWidth.value === before) return;
    before = pageWidth.value;
    clearTimeout(timer);
    timer = setTimeout(() => replay.peek()?.fit(), PAUSE_MS);
  });
}

void start();
