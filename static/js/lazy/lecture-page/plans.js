/** Owns the list of plans, the lectures that come with Stepgrad. */

import { h } from "../../../vendor/ui.js";
import { PageHeader } from "../../panes/header/page-header.js";
import { rich } from "../../panes/rich.js";
import { LanguageSwitch, ThemeButton } from "../../panes/header/switches.js";
import { language, say } from "../../state/words.js";

/** @import {LecturePart} from "../../io/lectures.js" */

/**
 * @typedef {{
 *   slug: string,
 *   title: Record<string, string>,
 *   about: Record<string, string>,
 *   minutes: number,
 *   parts: LecturePart[],
 * }} Plan
 */

/** @param {{plans: Plan[]}} props */
export function Plans({ plans }) {
  return [
    h(
      PageHeader,
      { key: "header" },
      h("span", { class: "spring" }),
      h("a", { class: "button", href: "/lessons" }, say("course")),
      h(LanguageSwitch, null),
      h(ThemeButton, null),
    ),
    h(
      "main",
      { class: "lecture-list", key: "main" },
      h("h1", null, say("lectures")),
      h("p", null, say("lectures-words")),
      h(
        "ol",
        null,
        plans.map(({ slug, title, about, minutes, parts }) =>
          h(
            "li",
            { key: slug },
            h("a", { href: `/lectures/${slug}` }, rich(title[language.value] ?? "")),
            h("p", null, rich(about[language.value] ?? "")),
            h("p", { class: "lecture-quiet" }, say("lecture-length", { minutes, parts: parts.length })),
          ),
        ),
      ),
    ),
  ];
}
