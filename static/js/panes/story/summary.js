/**
 * Owns the summary of the run above its story, with a link for each part, and its announcement, once per run.
 */

import { computed, h, useEffect, useState } from "../../../vendor/ui.js";
import { correctedGradientsOf } from "../../session/follow-ups.js";
import { isHidden } from "../../state/prediction.js";
import { legible } from "../../run/legible.js";
import { goTo, played, state, status, stepCount } from "../../state/store.js";
import { language, say, tell } from "../../state/words.js";
import { headline } from "../../words/headline.js";
import { summaryOf } from "../../words/summary.js";
import { button } from "../buttons.js";
import { Icon } from "../icons.js";
import { plain } from "../rich.js";

/** @import {Part} from "../../words/summary.js" */

const ICONS = { well: "check", stopped: "stop", badly: "cross", warned: "warning", hinted: "info" };

/** Whether the page has no title of its own, as lessons and links have. */
const isUntitled = document.title === "Stepgrad";

/**
 * The parts of the summary, computed once for a run. The list is empty while the page asks for a prediction,
 * because the summary would reveal the answer. The annotation `PURE` lets the bundler omit this from
 * embedded frames, which show no summary.
 */
const parts = /* @__PURE__ */ computed(() => {
  const index = played.value?.index;
  return index === undefined || isHidden.value ? [] : summaryOf(index, correctedGradientsOf(index));
});

/** The summary of the run. The summary is the same at every step, so its height does not change. */
export function Summary() {
  const shown = parts.value;
  if (shown.length === 0) return null;
  return h(
    "div",
    { class: "summary" },
    h(
      "div",
      { class: "summary-parts" },
      shown.map((part) => h(Jump, { part, key: part.sentence.id })),
    ),
    stepCount.value === 0
      ? null
      : button(
          {
            class: "button from-start",
            "aria-disabled": state.value?.k === 0 ? "true" : undefined,
            onClick: () => goTo(0),
          },
          say("from-start"),
        ),
  );
}

/**
 * A link to the card of the run's error or finding, for small screens that show another pane than the story.
 * @param {{toStory: () => void}} props
 */
export function WrongPart({ toStory }) {
  const part = parts.value.find(({ look }) => look === "badly" || look === "warned");
  return part === undefined ? null : h(Jump, { part, and: toStory });
}

/** @param {{part: Part, and?: () => void}} props `and`: an additional effect of a click */
function Jump({ part: { look, sentence, stop }, and }) {
  const words = plain(tell(sentence));
  const shown = [h(Icon, { name: ICONS[look], size: 17 }), h("span", null, words)];
  const given = { class: `summary-part ${look}`, title: words };
  if (stop === null) return h("p", given, shown);
  return h(
    "button",
    {
      ...given,
      type: "button",
      "aria-current": state.value?.k === stop ? "step" : undefined,
      onClick: () => {
        goTo(stop);
        and?.();
      },
    },
    shown,
  );
}

/** The title of a run for the browser's tab. */
function titleOfRun() {
  const { findings = [], source = "" } = played.value?.index ?? {};
  const [first] = isHidden.value ? [] : findings;
  const finding = first && tell({ id: `finding-${first.kind}-title`, args: first.arguments ?? {} });
  return legible(headline(source, plain(finding ?? "")));
}

/**
 * Announces the summary of a new run to screen readers, once. A change of the granularity does not announce
 * it again.
 */
export function SummaryStatus() {
  const [said, setSaid] = useState("");
  const run = status.value.kind === "running" ? null : played.value?.index.steps;
  useEffect(() => {
    const told = run == null ? [] : parts.value.map(({ sentence }) => plain(tell(sentence)));
    setSaid(told.length === 0 ? "" : say("summary", { parts: told.join(". ") }));
    if (isUntitled && run != null) document.title = `${titleOfRun()} · Stepgrad`;
  }, [run, language.value]);
  return h("div", { class: "visually-hidden" }, h("p", { role: "status" }, said));
}
