/** Starts the page: loads the messages, then opens the run or the code that the address names. */

import { boot } from "../io/boot.js";
import { loadChunk, provideChunks, withChunk } from "../panes/chunks.js";
import { loadCards } from "../panes/finding-cards.js";
import { loadRunPanes } from "../panes/run-panes.js";
import { draft, isOwnDraft, openProgram } from "../session/actions.js";
import { readHash, syncAddress } from "../session/address.js";
import { restoreAddress } from "../session/address-bar.js";
import { loadFonts } from "../session/fonts.js";
import { leaveRun, openSnippet, prepareForRuns, provideParts, run } from "../session/running.js";
import { granularity, source, standIn } from "../state/store.js";
import { language, loadWords, speak } from "../state/words.js";

/** @import {Requested} from "../session/address.js" */
import { showPlayer } from "./showing.js";

provideChunks({
  run: () => import("../lazy/run/index.js"),
  demo: () => import("../lazy/demo/index.js"),
  code: () => import("../lazy/code/index.js"),
  help: () => import("../lazy/help/index.js"),
  legend: () => import("../lazy/legend/index.js"),
  textView: () => import("../lazy/text-view/index.js"),
  why: () => import("../lazy/why/index.js"),
  traceback: () => import("../lazy/traceback/index.js"),
  compare: async () => (await import("../lazy/compare/index.js")).compare,
  finding: () => import("../lazy/finding/index.js"),
  question: () => import("../lazy/question/index.js"),
  presenter: () => import("../lazy/presenter/index.js"),
  share: () => import("../lazy/share/index.js"),
  editing: () => import("../lazy/editing/index.js"),
  examples: () => import("../lazy/examples/index.js"),
  export: () => import("../lazy/export/index.js"),
  codeLink: () => import("../lazy/code-link/index.js"),
  view: () => import("../lazy/view/index.js"),
  lecture: () => import("../lazy/lecture/index.js"),
  room: () => import("../lazy/room/index.js"),
});
provideParts({
  findings: loadCards,
  panes: loadRunPanes,
  keep: (source) => withChunk("run", (run) => run.keepProgram(source)),
});

async function start() {
  await loadWords(language.peek()).catch(() => speak("en"));
  document.documentElement.lang = language.peek();
  restoreAddress();
  const requested = readHash();
  if (requested.granularity !== null) granularity.value = requested.granularity;
  if (boot.program !== null) openProgram(boot.program);
  else if (boot.snippet_id === null && !boot.room) source.value = draft() || example();
  standIn.value = requested.stand_in;
  if (requested.code !== null) await openCode({ ...requested, code: requested.code });
  if (requested.view !== null) await showAs(requested.view);
  if (boot.program !== null) {
    (await import("../lazy/lesson/index.js")).showLesson();
  }
  showPlayer();
  window.addEventListener("pagehide", leaveRun);
  void loadFonts().then(prepareForRuns);
  if (boot.room) await (await loadChunk("room")).enterRoom(boot.room);
  else if (!(await openCompared(requested.step))) {
    if (boot.snippet_id !== null) await openSnippet(boot.snippet_id, requested.step);
    else if (
      requested.step !== null &&
      requested.code === null && // opening a link must not run the code that the link contains
      (boot.program !== null || source.peek() === example() || isOwnDraft())
    )
      await run(requested.step);
  }
  syncAddress(openCode, showAs);
}

/** @param {Requested & {code: string}} requested */
async function openCode(requested) {
  await (await loadChunk("codeLink")).openCodeLink(requested);
}

/** @param {URLSearchParams} view */
async function showAs(view) {
  await (await loadChunk("view")).showAs(view);
}

/**
 * Shows the comparison that the address names.
 * @param {number | null} at
 * @returns {Promise<boolean>} whether the address names a comparison that can be opened
 */
async function openCompared(at) {
  return boot.compare !== null && (await loadChunk("compare")).open(boot.compare, at);
}

/** The code of the first lesson, which the editor shows if there is nothing else to show. */
function example() {
  return boot.whole[0]?.snippet.source ?? "";
}

void start();
