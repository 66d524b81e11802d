/**
 * Owns the start view, which takes the place of the pictures before the first run: an introduction to
 * Stepgrad, and the list of lessons.
 */

import { h, useEffect, useLayoutEffect, useRef, useState } from "../../vendor/ui.js";
import { boot } from "../io/boot.js";
import { countOf, isDone } from "../state/lesson-progress.js";
import { groups } from "../state/programs.js";
import { language, say } from "../state/words.js";
import { loadChunk } from "./chunks.js";
import { Lazy } from "./lazy.js";
import { rich } from "./rich.js";

/** @import {Head} from "../io/boot.js" */

export function Start() {
  const place = Math.max(
    0,
    boot.lessons.findIndex(({ slug }) => !isDone(slug)),
  );
  const isBegun = countOf(boot.lessons).done > 0;
  return h(
    "section",
    { class: "pane start", "aria-labelledby": "start-title" },
    h(
      "div",
      { class: "start-body", tabIndex: 0, role: "group", "aria-labelledby": "start-title" },
      h("h1", { id: "start-title" }, say("start-title")),
      h("p", { class: "start-words" }, rich(say("start-words"))),
      isStill && posterOf(language.value) === null
        ? null
        : h(
            "div",
            { class: "start-demo" },
            h(Poster, { language: language.value }),
            h(Lazy, { isAsked: useIdle() && !isStill, load: loadDemo }),
          ),
      h("h2", { class: "start-course" }, say("course")),
      h("p", { class: "start-words" }, say("course-words", { count: boot.lessons.length })),
      h(
        "p",
        { class: "start-ways" },
        h(
          "a",
          { class: "button", href: `/lessons/${boot.lessons[place]?.slug}` },
          say(isBegun ? "course-go-on" : "course-begin", { number: place + 1 }),
        ),
        h("a", { class: "button", href: "/lessons" }, say("course-all")),
      ),
      h(
        "div",
        { class: "lessons" },
        groups().map(([group, lessons]) => h(GroupCard, { group, lessons, key: group })),
      ),
    ),
  );
}

/** The time in ms after which the demonstration loads. The editor and its fonts load first. */
const IDLE_MS = 1200;

/** With reduced motion the demonstration is not played, and the poster stays. */
const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * The template with the poster of the demonstration, a still picture of its most important step. The server
 * includes it in the page (`templates/poster-*.html`).
 * @param {string} spoken
 */
function posterOf(spoken) {
  return /** @type {HTMLTemplateElement | null} */ (document.getElementById(`poster-${spoken}`));
}

/**
 * The poster, which is shown until the demonstration is loaded.
 * @param {{language: string}} props
 */
function Poster({ language: spoken }) {
  const root = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const poster = posterOf(spoken);
    if (poster !== null) root.current?.replaceChildren(poster.content.cloneNode(true));
  }, [spoken]);
  return h("figure", { class: "demo poster", ref: root, "aria-label": say("demo") });
}

/** Whether the page has been open long enough to load the demonstration. */
function useIdle() {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIdle(true), IDLE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isIdle;
}

async function loadDemo() {
  return (await loadChunk("demo")).Demo;
}

/** @param {{group: string, lessons: Head[]}} props */
function GroupCard({ group, lessons }) {
  const progress = countOf(lessons);
  return h(
    "a",
    { class: "lesson-card", href: `/lessons#${group}` },
    h("span", { class: "lesson-title" }, say(`lesson-group-${group}`)),
    h(
      "span",
      { class: "lesson-summary" },
      say("course-lessons", { count: lessons.length }),
      progress.done > 0 ? ` · ${say("course-done", { done: progress.done, count: progress.count })}` : null,
    ),
  );
}
