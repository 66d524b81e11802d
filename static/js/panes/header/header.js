/**
 * Owns the header of the player: the name, the lessons, facts about the run, and the buttons for language,
 * theme, sharing and help.
 */

import { h } from "../../../vendor/ui.js";
import { button, iconButton } from "../buttons.js";
import { boot } from "../../io/boot.js";
import { isFile } from "../../io/medium.js";
import { legible } from "../../run/legible.js";
import { share } from "../../session/actions.js";
import { hasEditor, heading, helpPart, isExporting, replay, source } from "../../state/store.js";
import { say } from "../../state/words.js";
import { AboutButton } from "./about-button.js";
import { loadChunk } from "../chunks.js";
import { CompareButton } from "./compare-button.js";
import { LessonMenu } from "./lesson-menu.js";
import { Display } from "./display-menu.js";
import { Icon } from "../icons.js";
import { Lazy } from "../lazy.js";
import { PageHeader } from "./page-header.js";
import { PresentButton } from "../presenting.js";
import { LanguageSwitch, ThemeButton } from "./switches.js";

export function Header() {
  const header = replay.value?.runs[0]?.header;
  return h(
    PageHeader,
    null,
    isFile ? h("span", { class: "shared-heading" }, legible(boot.title ?? "")) : h(Start, null),
    h("span", { class: "spring" }),
    header?.stand_in
      ? h(
          "span",
          { class: "stood-in", title: say("stood-in") },
          h(Icon, { name: "chip", size: 16 }),
          say("stood-in-short"),
        )
      : null,
    h(AboutButton, null),
    h(LanguageSwitch, null),
    h(Display, null),
    h(ThemeButton, null),
    h(PresentButton, null),
    isFile ? null : [h(CompareButton, { key: "compare" }), h(ShareButton, { key: "share" })],
    isFile || replay.value === null ? null : h(ExportButton, null),
    button(
      {
        class: "button icon-only",
        title: say("help"),
        "aria-label": say("help"),
        onClick: () => (helpPart.value = "keys"),
      },
      "?",
    ),
  );
}

/** The title of the shown run, with the menu of lessons or the button that leaves a comparison. */
function Start() {
  return [
    hasEditor.value ? h(LessonMenu, { key: "lessons" }) : h(Back, { key: "back" }),
    h(Lazy, {
      key: "heading",
      isAsked: heading.value !== null && hasEditor.value,
      load: async () => (await loadChunk("share")).SharedHeading,
    }),
  ];
}

function ShareButton() {
  return button(
    {
      class: "button share",
      "aria-label": say("share"),
      onClick: share,
      disabled: source.value.trim() === "",
    },
    h(Icon, { name: "share" }),
    h("span", null, say("share")),
  );
}

function ExportButton() {
  return iconButton("export", say("export"), {
    size: 18,
    class: "button icon-only export",
    onClick: () => (isExporting.value = true),
  });
}

/** The button that leaves a comparison. */
function Back() {
  return h(
    "div",
    { class: "picker" },
    button(
      { class: "button back", title: say("compare-leave"), onClick: () => replay.peek()?.leave() },
      h(Icon, { name: "back", size: 16 }),
      say("compare-back"),
    ),
    h("span", { class: "picker-word" }, say("compare-heading")),
  );
}
