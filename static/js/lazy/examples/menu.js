/** Owns the menu of programs for the editor: the examples, and the most recent programs of this browser. */

import { h, useEffect, useLayoutEffect, useState } from "../../../vendor/ui.js";
import { examples } from "../../io/api.js";
import { button } from "../../panes/buttons.js";
import { rich } from "../../panes/rich.js";
import { legible } from "../../run/legible.js";
import { typed } from "../../session/actions.js";
import { forgetPrograms, keepProgram, recentPrograms } from "../../session/recent-programs.js";
import { programOf } from "../../state/programs.js";
import { source } from "../../state/store.js";
import { language, loadRunWords, say, sayFailure } from "../../state/words.js";
import { headline } from "../../words/headline.js";

/** @import {Example} from "../../io/api.js" */
/** @import {Recent} from "../../session/recent-programs.js" */

/** @type {Intl.DateTimeFormatOptions} */
const WHEN = { month: "short", day: "numeric", hour: "numeric", minute: "numeric" };

/**
 * The minimum height of the menu, in px. If there is less space below the menu's button, the menu covers the
 * button.
 */
const LEAST = 320;

/** @type {Promise<Example[]> | null} */
let fetched = null;

/** Loads the examples and the texts of the menu, once. After a failure, the next call loads them again. */
function ready() {
  fetched ??= Promise.all([examples(), loadRunWords()]).then(([all]) => all);
  fetched.catch(() => (fetched = null));
  return fetched;
}

export function Menu() {
  const [all, setAll] = useState(/** @type {Example[] | null} */ (null));
  const [failure, setFailure] = useState("");
  const [recent, setRecent] = useState(recentPrograms);
  useEffect(() => void ready().then(setAll, (error) => setFailure(sayFailure(error))), []);
  useLayoutEffect(place, [all, failure]);
  if (all === null) return failure === "" ? null : h("p", { role: "status" }, failure);
  const choose = (/** @type {string} */ text) => {
    const before = source.peek();
    const isKnown = programOf(before) !== null || all.some((example) => example.source === before);
    if (before.trim() !== "" && before !== text && !isKnown) keepProgram(before);
    document.getElementById("examples")?.hidePopover();
    typed(text);
  };
  const forget = () => {
    forgetPrograms();
    setRecent([]);
  };
  return [
    h("h2", { key: "examples" }, say("examples")),
    all.map(({ name, title, source: text }) =>
      button(
        { key: name, class: "display-row", onClick: () => choose(text) },
        h("span", null, rich(title[language.value] ?? name)),
      ),
    ),
    h("h2", { key: "recent" }, say("recent")),
    recent.map((program) => h(Row, { key: program[0], program, choose })),
    h(
      "p",
      { key: "kept", class: "beside-hint" },
      say("recent-kept"),
      recent.length > 0 && button({ onClick: forget }, say("recent-clear")),
    ),
  ];
}

/** @param {{program: Recent, choose: (text: string) => void}} props */
function Row({ program: [text, at], choose }) {
  const when = new Date(at).toLocaleString(language.value, WHEN);
  return button(
    { class: "display-row", onClick: () => choose(text) },
    h("span", null, legible(headline(text, ""))),
    h("span", { class: "when" }, when),
  );
}

/** Places the menu below its button, within the page. */
function place() {
  const menu = document.getElementById("examples");
  const at = document.querySelector("[popovertarget=examples]")?.getBoundingClientRect();
  if (menu === null || at === undefined) return;
  const left = Math.min(at.left, innerWidth - menu.offsetWidth - 10);
  const top = innerHeight - at.bottom < LEAST ? 10 : at.bottom + 4;
  menu.style.inset = `${top}px auto auto ${Math.max(10, left)}px`;
  menu.style.maxHeight = `${innerHeight - top - 10}px`;
}
