/** Owns the header: name, lessons, what is known of the run, language, theme, share, help. */

import { h } from "../../vendor/ui.js";
import { openLesson, share } from "../actions.js";
import { boot } from "../boot.js";
import { comparison, helpPart, lesson, played, source } from "../store.js";
import { language, say, speak } from "../words.js";
import { AboutButton } from "./about.js";
import { Beside } from "./beside.js";
import { Display } from "./display.js";
import { Icon, Logo } from "./icons.js";
import { plain } from "./rich.js";

export function Header() {
  const header = (comparison.value?.left ?? played.value)?.index.header;
  return h(
    "header",
    { class: "header" },
    h("a", { class: "brand", href: "/", "aria-label": "Stepgrad" }, h(Logo, null), h("span", { class: "brand-name" }, "Stepgrad")),
    comparison.value === null ? h(LessonPicker, null) : h(Back, null),
    h("span", { class: "spring" }),
    header?.stand_in ? h("span", { class: "stood-in", title: say("stood-in") }, h(Icon, { name: "chip", size: 16 }), say("stood-in-short")) : null,
    h(AboutButton, null),
    h(LanguageSwitch, null),
    h(Display, null),
    h("button", { class: "button icon-only", type: "button", title: say("theme"), "aria-label": say("theme"), onClick: switchTheme }, h(Icon, { name: "theme" })),
    h(Beside, null),
    h("button", { class: "button share", type: "button", "aria-label": say("share"), onClick: share, disabled: source.value.trim() === "" }, h(Icon, { name: "share" }), h("span", null, say("share"))),
    h("button", { class: "button icon-only", type: "button", title: say("help"), "aria-label": say("help"), onClick: () => (helpPart.value = "keys") }, "?"),
  );
}

function switchTheme() {
  document.documentElement.dispatchEvent(new Event("stepgrad-theme"));
}

/** Lessons of the gallery by their group, in order. */
export function groups() {
  /** @type {Map<string, typeof boot.lessons>} */
  const found = new Map();
  for (const own of boot.lessons) {
    if (!found.has(own.group)) found.set(own.group, []);
    found.get(own.group)?.push(own);
  }
  return [...found];
}

function LessonPicker() {
  const choose = (/** @type {{currentTarget: HTMLSelectElement}} */ { currentTarget }) => openLesson(currentTarget.value);
  return h(
    "label",
    { class: "picker" },
    h("span", { class: "picker-word" }, say("lesson")),
    h(
      "select",
      { value: lesson.value ?? "", onChange: choose, name: "lesson" },
      h("option", { value: "", disabled: true }, say("lesson-own")),
      groups().map(([group, own]) =>
        h("optgroup", { label: say(`lesson-group-${group}`), key: group }, own.map(({ slug, title }) => h("option", { value: slug, key: slug }, plain(title[language.value] ?? slug)))),
      ),
    ),
  );
}

/** From two snippets to where the visitor was. */
function Back() {
  return h(
    "div",
    { class: "picker" },
    h("button", { class: "button back", type: "button", title: say("compare-leave"), onClick: () => comparison.peek()?.page.leaveComparison() }, h(Icon, { name: "back", size: 16 }), say("compare-back")),
    h("span", { class: "picker-word" }, say("compare-heading")),
  );
}

function LanguageSwitch() {
  const button = (/** @type {"en" | "zh-CN"} */ tag, /** @type {string} */ text) =>
    h("button", { type: "button", lang: tag, "aria-pressed": language.value === tag ? "true" : "false", onClick: () => void speak(tag) }, text);
  return h("div", { class: "switch", role: "group", "aria-label": say("language") }, button("en", "EN"), button("zh-CN", "中文"));
}
