/** Owns how the panes are put together, and the one sentence that a step says to a screen reader. */

import { h, useEffect, useState } from "../../vendor/ui.js";
import { linesOf } from "../run/legible.js";
import { isLive } from "../state/preferences.js";
import { isAsking } from "../state/prediction.js";
import { headOf } from "../state/programs.js";
import {
  aboutIsOpen,
  comparison,
  goTo,
  helpPart,
  isBusy,
  isOld,
  isPlaying,
  lessonPage,
  mode,
  played,
  program,
  speed,
  state,
  step,
  stepCount,
  toast,
} from "../state/store.js";
import { language, say, tell } from "../state/words.js";
import { CodePane } from "./code.js";
import { Header } from "./header.js";
import { Icon } from "./icons.js";
import { Legend } from "./legend.js";
import { LowerPane } from "./lower.js";
import { Notice, spokenOfRun } from "./notice.js";
import { announced } from "./question.js";
import { plain } from "./rich.js";
import { Stage } from "./pictures.js";
import { Start } from "./start.js";
import { sentencesOf, StoryPane } from "./story.js";
import { pane, Tabs } from "./tabs.js";
import { Timeline } from "./timeline.js";

/** @import {VNode} from "../../vendor/ui.js" */
/** @import {Index} from "../run/types.d.ts" */

/** How long a step stays while playing at its plain speed. */
const PACE_MS = 1400;

export function App() {
  usePlay();
  const both = comparison.value;
  const has = played.value !== null;
  const isStale = isOld.value && mode.value === "edit" && !isLive.value;
  return h(
    "div",
    {
      class: `app ${both !== null ? "with-both" : has ? "with-run" : "without-run"}${isStale ? " old-run" : ""}${isBusy.value ? " running" : ""} at-${pane.value}`,
    },
    lessonPage.value !== null && !has
      ? h("a", { class: "skip", href: "#lesson", key: "lesson" }, say("skip-to-lesson"))
      : null,
    h("a", { class: "skip", href: "#main", key: "skip" }, say("skip")),
    h(Header, null),
    both !== null
      ? h(both.page.Compare, { both, key: "both" })
      : [
          h(Tabs, { key: "tabs" }),
          h(
            "main",
            { id: "main", class: "main", key: "main" },
            has ? h("h1", { class: "unseen" }, titleOfRun()) : null,
            h("div", { class: "left" }, h(CodePane, null), has ? h(StoryPane, null) : null, h(Notice, null)),
            has
              ? h(
                  "div",
                  { class: "right" },
                  h(Stage, null),
                  isStale && !isBusy.value ? h("p", { class: "old-note" }, say("old-run")) : null,
                  h("div", { class: "below" }, h(LowerPane, null), h(Legend, null)),
                )
              : h("div", { class: "right" }, h(lessonPage.value?.Panel ?? Start, null)),
          ),
          h(Timeline, { key: "timeline" }),
        ],
    h(Toast, null),
    h(Later, {
      isAsked: helpPart.value !== "",
      load: async () => (await import("../lazy/help/index.js")).Help,
    }),
    h(Later, { isAsked: aboutIsOpen.value, load: async () => (await import("../lazy/help/index.js")).About }),
    h("p", { class: "unseen", role: "status", "aria-live": "polite" }, spokenOfRun() ?? spoken()),
  );
}

/** The lesson's name, for those who go from heading to heading; the start has a heading that is seen. */
function titleOfRun() {
  const own = headOf(program.value);
  return own === undefined ? say("lesson-own") : plain(own.title[language.value] ?? own.slug);
}

function usePlay() {
  const k = step.value;
  useEffect(() => {
    if (!isPlaying.value || stepCount.value === 0) return undefined;
    if (k >= stepCount.value - 1) {
      isPlaying.value = false;
      return undefined;
    }
    const timer = setTimeout(() => goTo(k + 1), PACE_MS / speed.value);
    return () => clearTimeout(timer);
  }, [isPlaying.value, k, stepCount.value, speed.value]);
}

/** Silent while playing: a sentence a second helps nobody. */
function spoken() {
  if (comparison.value !== null) return comparison.value.page.spokenOfBoth();
  const now = state.value;
  const index = played.value?.index;
  if (!now || !index || isPlaying.value) return "";
  if (isAsking.value)
    return [say("predict-title", { step: now.k + 2 }), ...asked(index, now.k + 1)].join(" ");
  const sentences = sentencesOf(index, now)
    .slice(0, 3)
    .map((sentence) => plain(tell(sentence)));
  const end = now.is_last ? [say(`end-${index.ended.kind}`, index.end_arguments)] : [];
  return [say("spoken-step", { step: now.k + 1, line: now.stop.line }), ...sentences, ...end].join(" ");
}

/**
 * @param {Index} index
 * @param {number} k
 */
function asked(index, k) {
  const next = index.stops[k];
  if (next === undefined) return [];
  return [plain(tell(announced(index, next))), linesOf(index, next.line)];
}

/**
 * What few visits need is loaded when it is asked for, so that the first picture of all others comes sooner.
 * @param {{isAsked: boolean, load: () => Promise<() => VNode>}} props
 */
function Later({ isAsked, load }) {
  const [loaded, keep] = useState({ own: /** @type {(() => VNode) | null} */ (null) });
  useEffect(() => {
    if (isAsked && loaded.own === null) void load().then((own) => keep({ own }));
  }, [isAsked]);
  return loaded.own === null ? null : h(loaded.own, null);
}

function Toast() {
  const own = toast.value;
  if (!own) return null;
  return h(
    "div",
    { class: "toast", role: "status" },
    h("p", null, own.text),
    own.link
      ? h("input", {
          readOnly: true,
          value: own.link,
          "aria-label": say("link"),
          onFocus: (/** @type {{currentTarget: HTMLInputElement}} */ event) => event.currentTarget.select(),
        })
      : null,
    h(
      "button",
      {
        class: "button icon-only",
        type: "button",
        "aria-label": say("close"),
        onClick: () => (toast.value = null),
      },
      h(Icon, { name: "cross", size: 16 }),
    ),
  );
}
