/**
 * Owns the header's menu of lessons: links to the gallery, the open lesson, and the previous and next
 * lesson.
 */

import { h } from "../../../vendor/ui.js";
import { boot } from "../../io/boot.js";
import { headOf } from "../../state/programs.js";
import { program } from "../../state/store.js";
import { language, say } from "../../state/words.js";
import { Icon } from "../icons.js";
import { rich } from "../rich.js";

/** @import {Head} from "../../io/boot.js" */

export function LessonMenu() {
  const lesson = headOf(program.value ?? boot.program);
  const place = lesson === undefined ? -1 : boot.lessons.indexOf(lesson);
  return h(
    "nav",
    { class: "picker", "aria-label": say("course") },
    h(
      "a",
      { class: "button", href: lesson === undefined ? "/lessons" : `/lessons#${lesson.slug}` },
      h(Icon, { name: "course", size: 16 }),
      h("span", null, say("lessons")),
    ),
    lesson === undefined
      ? null
      : [
          h(Beside, {
            key: "previous",
            to: boot.lessons[place - 1],
            word: "lesson-previous",
            icon: "previous",
          }),
          h(Here, { key: "here", lesson, place }),
          h(Beside, { key: "next", to: boot.lessons[place + 1], word: "lesson-next", icon: "next" }),
        ],
  );
}

/**
 * The open lesson, or the button back to the lesson if its code was changed.
 * @param {{lesson: Head, place: number}} props
 */
function Here({ lesson, place }) {
  const title = lesson.title[language.value] ?? lesson.slug;
  const isChanged = program.value === null;
  const about = isChanged
    ? say("lesson-back")
    : say("lesson-place", { place: place + 1, count: boot.lessons.length });
  return h(
    "a",
    { class: `lesson-here${isChanged ? " changed" : ""}`, href: `/lessons/${lesson.slug}` },
    h("span", { class: "lesson-place" }, isChanged ? h(Icon, { name: "back", size: 14 }) : null, about),
    " ",
    h("span", { class: "lesson-name" }, rich(title)),
  );
}

/** @param {{to: Head | undefined, word: string, icon: string}} props */
function Beside({ to, word, icon }) {
  const look = { class: "button icon-only", "aria-label": say(word) };
  if (to === undefined)
    return h("span", { ...look, role: "link", "aria-disabled": "true" }, h(Icon, { name: icon, size: 14 }));
  return h(
    "a",
    {
      ...look,
      href: `/lessons/${to.slug}`,
      title: `${say(word)}: ${(to.title[language.value] ?? to.slug).replaceAll("`", "")}`,
    },
    h(Icon, { name: icon, size: 14 }),
  );
}
