/** Owns the view of a single run, or of the editor before the first run. */

import { codeOf } from "../run/places.js";
import { h } from "../../vendor/ui.js";
import { boot } from "../io/boot.js";
import { isFile } from "../io/medium.js";
import { rowsTaken } from "../layout/memory-rows.js";
import { legible } from "../run/legible.js";
import { isLive } from "../state/preferences.js";
import { isAsking } from "../state/prediction.js";
import { columnsFor, shares } from "../state/room.js";
import { headOf } from "../state/programs.js";
import { heldStops, isBusy, isOld, isPlaying, mode, played, program, replay, state } from "../state/store.js";
import { language, say, tell } from "../state/words.js";
import { CodePane } from "./code/code.js";
import { onlyPane } from "./maximise.js";
import { lessonPage } from "./lesson-page.js";
import { Hint } from "./hint.js";
import { hasLower, LowerPane } from "./story/lower.js";
import { Notice } from "./notice.js";
import { Pictures } from "./pictures/pictures.js";
import { announced, posedPage, spokenResult } from "./story/question.js";
import { StepNote } from "./presenting.js";
import { registerView } from "./replay-views.js";
import { plain } from "./rich.js";
import { Start } from "./start.js";
import { Splitter } from "./splitter.js";
import { sentencesOf, StoryPane } from "./story/story.js";
import { Tabs } from "./tabs.js";
import { Timeline } from "./timeline/timeline.js";

/** @import {Index} from "../run/types.d.ts" */

registerView("run", { View: RunView, spoken, look });

function RunView() {
  const hasRun = played.value !== null;
  return [
    h(Tabs, { key: "tabs" }),
    h(
      "main",
      {
        id: "main",
        class: "main",
        key: "main",
        "data-only": (hasRun && onlyPane()) || undefined,
        style: { "--columns": columnsShown() },
      },
      hasRun ? h("h1", { class: "visually-hidden" }, titleOfRun()) : null,
      h(
        "div",
        {
          class: `left${hasFindings() ? " found" : ""}`,
          id: "left",
          style: { "--code": shares.code.value ?? undefined },
        },
        h(CodePane, null),
        hasRun ? h(Splitter, { split: "code", isUpright: false, controls: "code" }) : null,
        hasRun ? h(StoryPane, null) : null,
        h(Hint, null),
        h(Notice, null),
      ),
      hasRun ? h(Splitter, { split: "columns", isUpright: true, controls: "left" }) : null,
      hasRun
        ? h(
            "div",
            { class: "right", style: { "--lower": shares.lower.value ?? undefined } },
            h(Pictures, null),
            hasLower()
              ? [
                  h(Splitter, { key: "lower", split: "lower", isUpright: false, controls: "pictures" }),
                  h("div", { key: "below", class: "below" }, h(LowerPane, null)),
                ]
              : null,
            isEdited() && !isBusy.value ? h("p", { class: "old-note" }, say("old-run")) : null,
          )
        : h("div", { class: "right" }, isFile ? null : h(lessonPage.value?.Panel ?? Start, null)),
    ),
    h(StepNote, { key: "note" }),
    h(Timeline, { key: "timeline" }),
  ];
}

function hasFindings() {
  return played.value?.index.findings.some(({ severity }) => severity !== "hint") ?? false;
}

function columnsShown() {
  const index = played.value?.index;
  return index && columnsFor(index, replay.value?.alone?.layouts.arrangement.value.both);
}

function look() {
  return `${played.value === null ? "without-run" : "with-run"}${isEdited() ? " old-run" : ""}`;
}

/** Whether the editor has other code than the run that is shown. */
function isEdited() {
  return isOld.value && mode.value === "edit" && !isLive.value;
}

/** The lesson's title as a heading for screen readers; the start page has a visible heading. */
function titleOfRun() {
  if (isFile) return legible(boot.title ?? "") || "Stepgrad";
  const lesson = headOf(program.value);
  return lesson === undefined ? say("lesson-own") : plain(lesson.title[language.value] ?? lesson.slug);
}

/** The announcement of a step; empty while playing, for a sentence per second is of no use. */
function spoken() {
  const now = state.value;
  const run = played.value;
  if (!now || !run || isPlaying.value) return "";
  const { index } = run;
  if (heldStops.value !== null) return posedPage.value?.spoken() ?? "";
  if (isAsking.value)
    return [say("predict-title", { step: now.k + 2 }), ...questionOf(index, now.k + 1)].join(" ");
  const sentences = [
    ...sentencesOf(index, now).slice(0, 3),
    ...rowsTaken(index, run.memory, now).slice(0, 1),
  ].map((sentence) => plain(tell(sentence)));
  const end = now.is_last ? [say(`end-${index.ended.kind}`, index.end_arguments)] : [];
  const at = say("spoken-step", { step: now.k + 1, line: now.stop.place });
  return [...spokenResult(), at, ...sentences, ...end].join(" ");
}

/**
 * @param {Index} index
 * @param {number} k
 */
function questionOf(index, k) {
  const next = index.stops[k];
  if (next === undefined) return [];
  return [plain(tell(announced(next))), codeOf(index, next)];
}
