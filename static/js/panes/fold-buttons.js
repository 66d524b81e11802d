/** Owns folding and unfolding groups of the graph: one by its sign, all by two buttons. */

import { h } from "../../vendor/ui.js";
import { foldAll } from "../state/folds.js";
import { say } from "../state/words.js";

/** @import {GraphLayout} from "../run/types.d.ts" */

/** @param {{graph: GraphLayout}} props */
export function FoldButtons({ graph }) {
  const { groups, open } = graph;
  if (groups.length === 0) return null;
  const button = (/** @type {string} */ id, /** @type {boolean} */ isOpen, /** @type {boolean} */ isDone) =>
    h(
      "button",
      {
        type: "button",
        title: say(id),
        "aria-label": say(id),
        disabled: isDone,
        onClick: () => void foldAll(isOpen),
      },
      h(Sign, { isOpen }),
    );
  return h(
    "div",
    { class: "switch folds", role: "group", "aria-label": say("folds") },
    button("fold-all", false, open.size === 0),
    button("unfold-all", true, open.size === groups.length),
  );
}

/**
 * The icon: sheets in a stack, or apart.
 * @param {{isOpen: boolean}} props
 */
function Sign({ isOpen }) {
  const d = isOpen ? "M3,2.5 h10 v4 h-10 z M3,9.5 h10 v4 h-10 z" : "M2,5.5 h9 v7 h-9 z M5,5.5 v-3 h9 v7 h-3";
  return h(
    "svg",
    { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true", class: "icon" },
    h("path", { d, fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-linejoin": "round" }),
  );
}

/**
 * Handles a click on a group's sign.
 * @param {MouseEvent} event
 * @param {(key: string) => unknown} turn
 */
export function foldByPointer(event, turn) {
  const target = event.target instanceof Element ? event.target.closest("[data-fold]") : null;
  if (target instanceof SVGElement && target.dataset.fold !== undefined) void turn(target.dataset.fold);
}
