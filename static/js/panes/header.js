/** Owns the header: name, lessons, notes about the run, language, theme, share, help. */

import { h } from "../../vendor/ui.js";
import { share } from "../session/actions.js";
import { hasEditor, heading, helpPart, isExporting, replay, source } from "../state/store.js";
import { say } from "../state/words.js";
import { AboutButton } from "./about-button.js";
import { loadChunk } from "./chunks.js";
import { CompareButton } from "./compare-button.js";
import { LessonMenu } from "./lesson-menu.js";
import { Display } from "./display-menu.js";
import { Icon } from "./icons.js";
import { Lazy } from "./lazy.js";
import { PageHeader } from "./page-header.js";
import { PresentButton } from "./presenting.js";
import { LanguageSwitch, ThemeButton } from "./switches.js";

export function Header() {
  const header = replay.value?.runs[0]?.header;
  return h(
    PageHeader,
    null,
    hasEditor.value ? h(LessonMenu, null) : h(Back, null),
    h(Lazy, {
      isAsked: heading.value !== null && hasEditor.value,
      load: async () => (await loadChunk("share")).SharedHeading,
    }),
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
    h(CompareButton, null),
    h(
      "button",
      {
        class: "button share",
        type: "button",
        "aria-label": say("share"),
        onClick: share,
        disabled: source.value.trim() === "",
      },
      h(Icon, { name: "share" }),
      h("span", null, say("share")),
    ),
    replay.value === null
      ? null
      : h(
          "button",
          {
            class: "button icon-only export",
            type: "button",
            title: say("export"),
            "aria-label": say("export"),
            onClick: () => (isExporting.value = true),
          },
          h(Icon, { name: "export" }),
        ),
    h(
      "button",
      {
        class: "button icon-only",
        type: "button",
        title: say("help"),
        "aria-label": say("help"),
        onClick: () => (helpPart.value = "keys"),
      },
      "?",
    ),
  );
}

/** The button that leaves a comparison. */
function Back() {
  return h(
    "div",
    { class: "picker" },
    h(
      "button",
      {
        class: "button back",
        type: "button",
        title: say("compare-leave"),
        onClick: () => replay.peek()?.leave(),
      },
      h(Icon, { name: "back", size: 16 }),
      say("compare-back"),
    ),
    h("span", { class: "picker-word" }, say("compare-heading")),
  );
}
