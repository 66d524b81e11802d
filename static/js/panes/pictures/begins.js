/**
 * Owns the text in a picture that is empty at the current step, with a link to the first step at which it
 * shows something.
 */

import { h } from "../../../vendor/ui.js";
import { button } from "../buttons.js";
import { firstWithNode } from "../../run/stops/first-shown.js";
import { stopAtTick } from "../../run/facts.js";
import { lastVisibleStop } from "../../state/prediction.js";
import { goTo } from "../../state/store.js";

/** @import {Played} from "../../state/store.js" */
/** @import {Say, State} from "../../run/types.d.ts" */

/**
 * A link to the step that creates the first Node or row, shown before that step. Prediction mode hides the
 * link.
 * @param {{name: "graph" | "memory", run: Played, now: State, say: Say}} props
 */
export function Begins({ name, run, now, say }) {
  const first = name === "graph" ? firstWithNode(run.index) : firstWithRow(run);
  if (now.k >= first || first > lastVisibleStop.value) return null;
  const leave = () => {
    goTo(first);
    /** @type {HTMLElement | null} */ (document.querySelector(`.${name}-pane .picture`))?.focus(); // the button is gone
  };
  return h(
    "p",
    { class: `begins ${name}-begins` },
    say("not-yet", { picture: name }),
    " ",
    button({ class: "link", onClick: leave }, say("begins", { step: first + 1 })),
  );
}

/** @param {Played} run */
function firstWithRow({ index, memory }) {
  const from = memory.rows.reduce((least, row) => Math.min(least, row.from), Infinity);
  return from === Infinity ? -1 : stopAtTick(index, from);
}
