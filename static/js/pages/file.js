/** Starts the player in a standalone file. The player shows the file's recording and needs no server. */

import "./theme.js";
import { provideChunks } from "../panes/chunks.js";
import { loadCards } from "../panes/finding-cards.js";
import { loadRunPanes } from "../panes/run-panes.js";
import { readHash } from "../session/address.js";
import { openDocument, provideParts } from "../session/running.js";
import { chooseGranularity, goTo, granularity } from "../state/store.js";
import { language, loadWords } from "../state/words.js";
import { showPlayer } from "./showing.js";

provideChunks({
  run: () => import("../lazy/run/index.js"),
  code: () => import("../lazy/code/index.js"),
  help: () => import("../lazy/help/index.js"),
  legend: () => import("../lazy/legend/index.js"),
  textView: () => import("../lazy/text-view/index.js"),
  why: () => import("../lazy/why/index.js"),
  traceback: () => import("../lazy/traceback/index.js"),
  finding: () => import("../lazy/finding/index.js"),
  question: () => import("../lazy/question/index.js"),
  presenter: () => import("../lazy/presenter/index.js"),
});
provideParts({ findings: loadCards, panes: loadRunPanes });

async function start() {
  await loadWords(language.peek());
  document.documentElement.lang = language.peek();
  showPlayer();
  const asked = readHash();
  if (asked.granularity !== null) granularity.value = asked.granularity;
  window.addEventListener("hashchange", () => {
    const requested = readHash();
    if (requested.granularity !== null) chooseGranularity(requested.granularity);
    if (requested.step !== null) goTo(requested.step);
  });
  const recording = document.getElementById("document")?.textContent ?? "";
  await openDocument(JSON.parse(recording), asked.step ?? undefined);
}

void start();
