/** Owns what stands where the pictures will be before the first run: what this is, the lessons, and errors of a run. */

import { h } from "../../vendor/ui.js";
import { openLesson } from "../actions.js";
import { lesson, status } from "../store.js";
import { language, say } from "../words.js";
import { groups } from "./header.js";
import { Icon } from "./icons.js";
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
    h("span", { class: "lesson-summary" }, rich(own.summary[language.value] ?? "")),
  );
}

/** What went wrong with a request, in the server's words and with its hint. */
export function Failure() {
  const own = status.value;
  if (own.kind !== "failed") return null;
  return h(
    "div",
    { class: "failure", role: "alert" },
    h(Icon, { name: "warning", size: 22 }),
    h("div", null, h("p", { class: "failure-message" }, own.message), h("p", null, own.hint)),
    h("button", { class: "button icon-only", type: "button", "aria-label": say("close"), onClick: () => (status.value = { kind: "idle" }) }, h(Icon, { name: "cross", size: 16 })),
  );
}
