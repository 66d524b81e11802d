/** Owns the start of the page: words first, then what the address asks for. */

import { h, render } from "../../vendor/ui.js";
import { draft, isOwnDraft, openProgram } from "../session/actions.js";
import { asked, keepAddress } from "../session/address.js";
import { boot } from "../io/boot.js";
import { listen } from "../input/keys.js";
import { warmUp } from "../io/graph-layout.js";
import { App } from "../panes/app.js";
import { followByClick } from "../panes/selection-bar.js";
import { keepHighlight } from "../panes/highlight.js";
import { listenToFingers } from "../input/swipe.js";
import { loadFonts } from "../session/fonts.js";
import { keepLayoutsCurrent } from "../session/layouts.js";
import { comparisonPage, leaveRun, openSnippet, run, runBoth } from "../session/running.js";
import { lessonPage, source, standIn, granularity } from "../state/store.js";
import { language, loadWords, speak } from "../state/words.js";

async function start() {
  await loadWords(language.peek()).catch(() => speak("en"));
  document.documentElement.lang = language.peek();
  const root = /** @type {HTMLElement} */ (document.getElementById("app"));
  const wanted = asked();
  if (wanted.granularity !== null) granularity.value = wanted.granularity;
  if (boot.program !== null) openProgram(boot.program);
  else if (boot.snippet_id === null) source.value = draft() || example();
  standIn.value = wanted.stand_in;
  if (boot.program !== null) {
    lessonPage.value = await import("../lazy/lesson/index.js");
    lessonPage.value.keepLesson();
  }
  root.replaceChildren();
  render(h(App, null), root);
  listen();
  listenToFingers();
  keepLayoutsCurrent();
  keepHighlight();
  followByClick();
  window.addEventListener("pagehide", leaveRun);
  void loadFonts().then(warmUp);
  const both = boot.compare === null ? null : (await comparisonPage()).wantedBy(boot.compare);
  if (both !== null) await runBoth(both, wanted.step ?? 0);
  else if (boot.snippet_id !== null) await openSnippet(boot.snippet_id, wanted.step ?? 0);
  else if (wanted.step !== null && (boot.program !== null || source.peek() === example() || isOwnDraft()))
    await run(wanted.step);
  keepAddress();
}

/** What the page has brought along: an empty editor teaches nothing. */
function example() {
  return boot.whole[0]?.snippet.source ?? "";
}

void start();
