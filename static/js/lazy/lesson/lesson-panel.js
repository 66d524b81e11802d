/**
 * Owns the panel of a lesson before its program runs: the claim, the question, and the answers to choose
 * from.
 */

import { h } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { boot } from "../../io/boot.js";
import { Icon } from "../../panes/icons.js";
import { rich } from "../../panes/rich.js";
import { headOf } from "../../state/programs.js";
import { isBusy } from "../../state/store.js";
import { language, say } from "../../state/words.js";
import { isLessonOpen, isRight, lesson, prediction, runLesson } from "./lesson.js";

/** @import {Words} from "../../io/boot.js" */

export const LETTERS = "ABCDE";

export function Panel() {
  return h(
    "section",
    { class: "pane start lesson-panel", "aria-labelledby": "lesson-title" },
    h(
      "div",
      { class: "start-body", id: "lesson", tabIndex: 0, role: "group", "aria-labelledby": "lesson-title" },
      h(Title, null),
      isLessonOpen.value ? (isRight.value ? h(Right, null) : h(Ask, null)) : h(Stepped, null),
    ),
  );
}

function Title() {
  const place = boot.lessons.findIndex(({ slug }) => slug === lesson.slug) + 1;
  return [
    h(
      "p",
      { class: "lesson-kicker", key: "kicker" },
      `${say("lesson-place", { place, count: boot.lessons.length })} · ${say(`lesson-group-${lesson.group}`)}`,
    ),
    h("h1", { id: "lesson-title", key: "title" }, rich(wordsOf(lesson.title))),
  ];
}

function Ask() {
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (prediction.peek() !== null) runLesson();
  };
  const justRun = () => {
    prediction.value = null;
    runLesson();
  };
  return h(
    "form",
    { class: "ask", onSubmit: submit },
    h(
      "div",
      { class: "claim" },
      h("h2", null, say("lesson-claim")),
      h(
        "blockquote",
        null,
        h(
          "p",
          null,
          "“",
          rich(wordsOf(lesson.claim)),
          "” ",
          h("b", { class: "claim-asked" }, say("lesson-true")),
        ),
      ),
    ),
    h(
      "fieldset",
      { class: "choices" },
      h(
        "legend",
        null,
        h("span", { class: "ask-word" }, say("lesson-ask")),
        h("span", { class: "ask-question" }, rich(wordsOf(lesson.question))),
      ),
      lesson.choices.map((answer, place) => h(Answer, { answer, number: place + 1, key: place })),
    ),
    h(
      "div",
      { class: "lesson-ways" },
      h(
        "button",
        { class: "button primary", type: "submit", disabled: prediction.value === null || isBusy.value },
        h(Icon, { name: "play", size: 15 }),
        say("lesson-predict"),
      ),
      button({ disabled: isBusy.value, onClick: justRun }, say("lesson-just-run")),
    ),
  );
}

/** @param {{answer: string | Words, number: number}} props */
function Answer({ answer, number }) {
  const isChosen = prediction.value === number;
  return h(
    "label",
    { class: `choice${isChosen ? " chosen" : ""}` },
    h("input", {
      type: "radio",
      name: "choice",
      value: number,
      checked: isChosen,
      onChange: () => (prediction.value = number),
    }),
    h("span", { class: "choice-letter", "aria-hidden": "true" }, LETTERS[number - 1]),
    h("span", { class: "choice-words" }, choiceOf(answer)),
  );
}

/**
 * The text of an answer to choose. An answer that is a string is code, so it is the same in every language.
 * @param {string | Words} answer
 */
export function choiceOf(answer) {
  return typeof answer === "string" ? h("code", { class: "choice-code" }, answer) : rich(wordsOf(answer));
}

/** @param {Words} words */
export function wordsOf(words) {
  return words[language.value] ?? words.en ?? "";
}

/** The panel while the editor shows the lesson's corrected program. */
function Right() {
  return [
    h("p", { class: "start-words", key: "words" }, say("lesson-right-words")),
    h(
      "div",
      { class: "lesson-ways", key: "ways" },
      button(
        { class: "button primary", disabled: isBusy.value, onClick: runLesson },
        h(Icon, { name: "play", size: 15 }),
        say("run"),
      ),
      h("a", { class: "button", href: `/lessons/${lesson.slug}` }, say("lesson-back")),
    ),
  ];
}

/** The panel after the visitor changed the lesson's code. */
function Stepped() {
  return [
    h("p", { class: "start-words", key: "words" }, say("lesson-stepped")),
    h(
      "div",
      { class: "lesson-ways", key: "ways" },
      h(
        "a",
        { class: "button", href: `/lessons/${lesson.slug}` },
        h(Icon, { name: "back", size: 15 }),
        say("lesson-back"),
      ),
      h(NextLesson, { isPrimary: false }),
    ),
  ];
}

/** @param {{isPrimary: boolean}} props */
export function NextLesson({ isPrimary }) {
  const next = boot.lessons[boot.lessons.findIndex(({ slug }) => slug === lesson.slug) + 1];
  const look = { class: `button next-lesson${isPrimary ? " primary" : ""}` };
  if (next === undefined) return h("a", { ...look, href: "/lessons" }, say("course-all"));
  return h(
    "a",
    { ...look, href: `/lessons/${next.slug}` },
    h("span", null, `${say("lesson-next")}: `, rich(wordsOf(headOf(next.slug)?.title ?? next.title))),
    h(Icon, { name: "next", size: 13 }),
  );
}
