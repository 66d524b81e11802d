/** Renders the page of a lecture, or of the list of plans, on a server's page or in a standalone file. */

import { effect, h, render } from "../../vendor/ui.js";
import { legible } from "../run/legible.js";
import { listenToTerms } from "../input/terms.js";
import { plain } from "../panes/rich.js";
import { loadCards } from "../panes/finding-cards.js";
import { provideParts } from "../session/running.js";
import { language, loadRunWords, loadWords, say, speak } from "../state/words.js";

/** @import {Shown} from "../lazy/lecture-page/parts.js" */
/** @import {Plan} from "../lazy/lecture-page/plans.js" */

/** Shows the lecture or the plans that the page contains. */
export async function showLecture() {
  provideParts({ findings: loadCards });
  const { LecturePage, Plans } = await import("../lazy/lecture-page/index.js");
  await loadWords(language.peek()).catch(() => speak("en"));
  await loadRunWords();
  /** @type {Shown & {plans?: Plan[]}} */
  const shown = JSON.parse(document.getElementById("lecture")?.textContent ?? "{}");
  const root = /** @type {HTMLElement} */ (document.getElementById("app"));
  document.documentElement.dataset.presenting = "off"; // presenter mode exists only in the player
  effect(() => {
    document.documentElement.lang = language.value;
    const title = titleOf(shown);
    document.title = title === "" ? "Stepgrad" : `${title} · Stepgrad`;
  });
  root.replaceChildren();
  render(shown.plans ? h(Plans, { plans: shown.plans }) : h(LecturePage, { lecture: shown }), root);
  listenToTerms();
  if (location.hash !== "") document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/** @param {Shown & {plans?: Plan[]}} shown */
function titleOf({ title = "", plans }) {
  if (plans) return say("lectures");
  return typeof title === "object" ? plain(title[language.value] ?? "") : legible(title);
}
