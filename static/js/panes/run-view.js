/** Owns the view of a single run, or of the editor before the first run. */

import { h } from "../../vendor/ui.js";
import { boot } from "../io/boot.js";
import { isFile } from "../io/medium.js";
import { legible } from "../run/legible.js";
import { isLive } from "../state/preferences.js";
import { columnsFor, shares } from "../state/room.js";
import { headOf } from "../state/programs.js";
import { isBusy, isOld, mode, played, program, replay } from "../state/store.js";
import { language, say } from "../state/words.js";
import { CodePane } from "./code/code.js";
import { onlyPane } from "./maximise.js";
import { lessonPage } from "./lesson-page.js";
import { Hint } from "./hint.js";
import { Notice } from "./notice.js";
import { StepNote } from "./presenting.js";
import { registerView } from "./replay-views.js";
import { runPanes } from "./run-panes.js";
import { plain } from "./rich.js";
import { Start } from "./start.js";
import { Splitter } from "./splitter.js";
import { Tabs } from "./tabs.js";

registerView("run", { View: RunView, spoken: () => runPanes.value?.spoken() ?? "", look });

function RunView() {
  const shown = played.value === null ? null : runPanes.value;
  const hasRun = shown !== null;
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
        shown && h(shown.StoryPane, null),
        h(Hint, null),
        h(Notice, null),
      ),
      hasRun ? h(Splitter, { split: "columns", isUpright: true, controls: "left" }) : null,
      shown
        ? h(
            "div",
            { class: "right", style: { "--lower": shares.lower.value ?? undefined } },
            h(shown.RightPanes, null),
            isEdited() && !isBusy.value ? h("p", { class: "old-note" }, say("old-run")) : null,
          )
        : h("div", { class: "right" }, isFile ? null : h(lessonPage.value?.Panel ?? Start, null)),
    ),
    h(StepNote, { key: "note" }),
    shown && h(shown.Timeline, { key: "timeline" }),
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

/** Whether the code in the editor differs from the code of the shown run. */
function isEdited() {
  return isOld.value && mode.value === "edit" && !isLive.value;
}

/**
 * The title of the lesson or file, as a heading for screen readers. The start page has a visible heading
 * instead.
 */
function titleOfRun() {
  if (isFile) return legible(boot.title ?? "") || "Stepgrad";
  const lesson = headOf(program.value);
  return lesson === undefined ? say("lesson-own") : plain(lesson.title[language.value] ?? lesson.slug);
}
