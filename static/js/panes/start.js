/** Owns what stands where the pictures will be before the first run: what this is, and the lessons. */

import { h } from "../../vendor/ui.js";
import { openLesson } from "../actions.js";
import { lesson } from "../store.js";
import { language, say } from "../words.js";
import { groups } from "./header.js";
import { rich } from "./rich.js";

/** @import {Lesson} from "../boot.js" */

export function Start() {
  return h(
    "section",
    { class: "pane start", "aria-labelledby": "start-title" },
    h(
      "div",
      { class: "start-body", tabIndex: 0, role: "group", "aria-labelledby": "start-title" },
      h("h1", { id: "start-title" }, say("start-title")),
      h("p", { class: "start-words" }, rich(say("start-words"))),
      groups().map(([group, own]) => h("section", { class: "lesson-group", key: group }, h("h2", null, say(`lesson-group-${group}`)), h("div", { class: "lessons" }, own.map((each) => h(LessonCard, { own: each, key: each.slug }))))),
    ),
  );
}

/** @param {{own: Lesson}} props */
function LessonCard({ own }) {
  const isOpen = lesson.value === own.slug;
  return h(
    "button",
    { class: "lesson-card", type: "button", "aria-pressed": isOpen ? "true" : "false", "data-lesson": own.slug, onClick: () => openLesson(own.slug) },
    h("span", { class: "lesson-title" }, rich(own.title[language.value] ?? own.slug)),
    h("span", { class: "lesson-summary" }, rich(own.claim[language.value] ?? "")),
  );
}
