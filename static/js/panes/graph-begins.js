/** Owns the words in a graph that has no Node yet: at which step there is one. */

import { h } from "../../vendor/ui.js";
import { firstWithNode } from "../run/first-shown.js";
import { lastVisibleStop } from "../state/prediction.js";
import { goTo } from "../state/store.js";

/** @import {Played} from "../state/store.js" */
/** @import {Say, State} from "../run/types.d.ts" */

/**
 * Before the first Node: at which step there is one. Predicting hides what is to come.
 * @param {{run: Played, now: State, say: Say}} props
 */
export function GraphBegins({ run, now, say }) {
  const first = firstWithNode(run.index);
  if (now.k >= first || first > lastVisibleStop.value) return null;
  const leave = () => {
    goTo(first);
    /** @type {HTMLElement | null} */ (document.querySelector(".graph-pane .picture"))?.focus(); // the button is gone
  };
  return h(
    "p",
    { class: "graph-begins" },
    say("graph-not-yet"),
    " ",
    h("button", { class: "link", type: "button", onClick: leave }, say("graph-begins", { step: first + 1 })),
  );
}
