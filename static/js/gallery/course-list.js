/** Owns the gallery: the lessons in order, the visitor's progress, and the search results. */

import { grouped } from "../run/grouped.js";
import { computed, h } from "../../vendor/ui.js";
import { button } from "../panes/buttons.js";
import { countOf, done, isDone, tried } from "../state/lesson-progress.js";
import { Icon } from "../panes/icons.js";
import { PageHeader } from "../panes/header/page-header.js";
import { LanguageSwitch, ThemeButton } from "../panes/header/switches.js";
import { perRun } from "../run/per-run.js";
import { language, say } from "../state/words.js";
import { entriesOf, marked, search, wordsOf } from "./search.js";
import { query } from "./query.js";
import { currentGroup, useReadingPosition } from "./reading-position.js";

/** @import {VNode} from "../../vendor/ui.js" */
/** @import {Lesson} from "../io/boot.js" */

/** @typedef {{lessons: Lesson[]}} Course */
/** @typedef {Lesson & {number: number}} Numbered `number`: the position in the course, from 1 */

const numberedOf = perRun((/** @type {Lesson[]} */ lessons) =>
  lessons.map((lesson, place) => ({ ...lesson, number: place + 1 })),
);

/** @param {Course} props */
export function Gallery({ lessons }) {
  const numbered = numberedOf(lessons);
  const isSearching = wordsOf(query.value).length > 0;
  useReadingPosition(isSearching);
  return [
    h("a", { class: "skip", href: "#main", key: "skip" }, say("skip-to-lessons")),
    h(Header, { key: "header" }),
    h(
      "main",
      { id: "main", class: "course", key: "main" },
      h(Head, { lessons }),
      h(Search, { lessons: numbered }),
      h(
        "div",
        { class: "course-body" },
        h(Groups, { lessons }),
        h(
          "div",
          { class: "course-lessons" },
          isSearching
            ? h(Results, { lessons: numbered })
            : groupsOf(numbered).map(([group, members]) => h(Group, { group, lessons: members, key: group })),
        ),
      ),
    ),
  ];
}

function Header() {
  return h(
    PageHeader,
    null,
    h("span", { class: "spring" }),
    h(
      "a",
      { class: "button", href: "/" },
      h(Icon, { name: "edit", size: 16 }),
      h("span", null, say("lesson-own")),
    ),
    h(LanguageSwitch, null),
    h(ThemeButton, null),
  );
}

/**
 * The heading of the course: its description, the visitor's progress, and a link to the next lesson.
 * @param {Course} props
 */
function Head({ lessons }) {
  const progress = countOf(lessons);
  const next = lessons.find(({ slug }) => !isDone(slug));
  return h(
    "div",
    { class: "course-head" },
    h(
      "div",
      { class: "course-about" },
      h("h1", null, say("course")),
      h(
        "p",
        null,
        `${say("course-words", { count: lessons.length })} `,
        h("a", { href: "/lectures" }, say("course-lectures")),
      ),
    ),
    h(
      "div",
      { class: "course-progress" },
      h(
        "p",
        { class: "progress-words" },
        progress.done === 0
          ? say("course-not-begun")
          : [
              h("b", null, say("course-done", { done: progress.done, count: progress.count })),
              h("span", null, say("course-right", { count: progress.right })),
            ],
      ),
      h("progress", { max: progress.count, value: progress.done, "aria-label": say("course-progress") }),
      next === undefined
        ? h("p", { class: "progress-whole" }, h(Icon, { name: "check", size: 18 }), say("course-whole"))
        : h(
            "a",
            { class: "button primary", href: `/lessons/${next.slug}` },
            h(
              "span",
              { class: "progress-next" },
              say(progress.done === 0 ? "course-begin" : "course-go-on", {
                number: lessons.indexOf(next) + 1,
              }),
            ),
            h(Icon, { name: "next", size: 14 }),
          ),
    ),
  );
}

/** The search results for a list of lessons, as a signal that the count and the list of results share. */
const resultsOf = perRun((/** @type {Numbered[]} */ lessons) => {
  const entries = computed(() => entriesOf(lessons, language.value));
  return computed(() => search(entries.value, query.value));
});

/** @param {Numbered[]} lessons */
function foundIn(lessons) {
  return resultsOf(lessons).value;
}

/** @param {{lessons: Numbered[]}} props */
function Search({ lessons }) {
  const isSearching = wordsOf(query.value).length > 0;
  const count = isSearching ? foundIn(lessons).length : lessons.length;
  const seek = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) =>
    (query.value = currentTarget.value);
  return h(
    "search",
    { class: "course-search" },
    h(
      "label",
      { class: "search-box" },
      h(Icon, { name: "search", size: 18 }),
      h("span", { class: "visually-hidden" }, say("course-search")),
      h("input", {
        id: "search",
        type: "search",
        autocomplete: "off",
        spellcheck: false,
        placeholder: say("course-search"),
        value: query.value,
        onInput: seek,
        "aria-describedby": "search-count",
      }),
      h("kbd", { "aria-hidden": "true" }, "/"),
    ),
    h(
      "p",
      { class: "search-found", id: "search-count", role: "status" },
      isSearching ? say("course-found", { count }) : say("course-lessons", { count }),
    ),
  );
}

/** @param {{lessons: Numbered[]}} props */
function Results({ lessons }) {
  const found = foundIn(lessons);
  if (found.length === 0)
    return h(
      "div",
      { class: "course-nothing" },
      h("p", null, say("course-nothing", { query: query.value.trim() })),
      button({ onClick: showAll }, say("course-search-clear")),
    );
  return h(
    "ol",
    { class: "cards results" },
    found.map(({ lesson, line }) =>
      h(Card, { lesson: /** @type {Numbered} */ (lesson), line, key: lesson.slug }),
    ),
  );
}

/** Shows all lessons and moves the focus to the search, because the pressed button disappears. */
function showAll() {
  query.value = "";
  document.getElementById("search")?.focus();
}

/** @param {Course} props */
function Groups({ lessons }) {
  return h(
    "nav",
    { class: "course-groups", "aria-label": say("course-groups") },
    h(
      "ol",
      null,
      groupsOf(lessons).map(([group, members]) => {
        const progress = countOf(members);
        return h(
          "li",
          { key: group },
          h(
            "a",
            {
              href: `#${group}`,
              "aria-current":
                currentGroup.value === group && wordsOf(query.value).length === 0 ? "true" : undefined,
              onClick: () => (query.value = ""),
            },
            h("span", null, say(`lesson-group-${group}`)),
            h(
              "span",
              { class: "group-progress" },
              h(
                "span",
                { "aria-hidden": "true" },
                progress.done === 0 ? progress.count : `${progress.done}/${progress.count}`,
              ),
              h(
                "span",
                { class: "visually-hidden" },
                `: ${progress.done === 0 ? say("course-lessons", { count: progress.count }) : say("course-done", { done: progress.done, count: progress.count })}`,
              ),
            ),
          ),
        );
      }),
    ),
  );
}

/** @param {{group: string, lessons: Numbered[]}} props */
function Group({ group, lessons }) {
  return h(
    "section",
    { class: "group", id: group, "aria-labelledby": `group-${group}` },
    h("h2", { id: `group-${group}` }, say(`lesson-group-${group}`)),
    group === "path" ? h("p", { class: "group-words" }, say("course-path-words")) : null,
    h(
      "ol",
      { class: "cards" },
      lessons.map((each) => h(Card, { lesson: each, line: "", key: each.slug })),
    ),
  );
}

/** @param {{lesson: Numbered, line: string}} props */
function Card({ lesson, line }) {
  const how = done.value[lesson.slug];
  const isTried = tried.value.has(lesson.slug);
  const words = wordsOf(query.value);
  return h(
    "li",
    { class: `card${isDone(lesson.slug) ? " done" : ""}`, id: lesson.slug },
    h(
      "a",
      { class: "card-link", href: `/lessons/${lesson.slug}` },
      h("span", { class: "card-number", "aria-hidden": "true" }, lesson.number),
      h(
        "span",
        { class: "card-words" },
        h("span", { class: "card-title" }, formatted(lesson.title[language.value] ?? lesson.slug, words)),
        h("span", { class: "card-claim" }, h(Asked, { lesson, words })),
        line === "" ? null : h("code", { class: "card-line" }, highlighted(line, words)),
        lesson.fixed === undefined && how === undefined && !isTried
          ? null
          : h(
              "span",
              { class: "card-marks" },
              lesson.fixed === undefined
                ? null
                : h("span", { class: "card-kind" }, say("course-broken-fixed")),
              how === undefined ? null : h(Mark, { how }),
              isTried ? h(Mark, { how: "tried" }) : null,
            ),
      ),
    ),
  );
}

/**
 * The claim of a lesson, written as a question, because a claim may be false and the list must not reveal
 * whether it is.
 * @param {{lesson: Lesson, words: string[]}} props
 */
function Asked({ lesson, words }) {
  return [
    "“",
    formatted(lesson.claim[language.value] ?? "", words),
    "” ",
    h("b", { key: "true" }, say("lesson-true")),
  ];
}

const ICONS = /** @type {const} */ ({
  right: "check",
  wrong: "cross",
  seen: "play",
  shown: "play",
  tried: "check",
});

/** @param {{how: keyof typeof ICONS}} props */
function Mark({ how }) {
  return h(
    "span",
    { class: `card-mark was-${how}` },
    h(Icon, { name: ICONS[how], size: 13 }),
    say(`course-${how}-mark`),
  );
}

/**
 * Formats a text: code in backticks, and the words of the query highlighted.
 * @param {string} text
 * @param {string[]} words
 */
function formatted(text, words) {
  return text
    .split("`")
    .map((part, place) =>
      place % 2 === 0
        ? h("span", { key: place }, highlighted(part, words))
        : h("code", { key: place }, highlighted(part, words)),
    );
}

/**
 * @param {string} text
 * @param {string[]} words
 * @returns {(VNode | string)[]}
 */
function highlighted(text, words) {
  return marked(text, words).map((piece, place) =>
    place % 2 === 0 ? piece : h("mark", { key: place }, piece),
  );
}

/**
 * @template {Lesson} L
 * @param {L[]} lessons
 * @returns {[string, L[]][]}
 */
function groupsOf(lessons) {
  return [...grouped(lessons, ({ group }) => group)];
}
