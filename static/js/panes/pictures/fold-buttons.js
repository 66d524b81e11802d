/**
 * Owns the controls that fold and open groups in both pictures: the sign on each group, two buttons for a
 * whole level, and a menu with further actions for the graph. A button that has no effect at the moment
 * keeps the focus.
 */

import { h } from "../../../vendor/ui.js";
import { button, toggleButton, tool } from "../buttons.js";
import { FREED } from "../../layout/folds/freed-folds.js";
import { foldAll, foldBy, turnLevel, turnStorages } from "../../state/folds.js";
import { say } from "../../state/words.js";

/** @import {FoldedBy, GraphLayout, MemoryLayout} from "../../run/types.d.ts" */

/** @param {{graph: GraphLayout}} props */
export function FoldButtons({ graph }) {
  const { groups, open, kinds } = graph;
  if (groups.length === 0 && kinds.length === 0) return null;
  return [
    h(
      "div",
      { key: "folds", class: "switch folds", role: "group", "aria-label": say("folds") },
      levels(turnLevel, open.size === 0, open.size === groups.length),
      button({ class: "more", title: say("folds"), "aria-label": say("folds"), popovertarget: "folds" }, "⋯"),
    ),
    h(FoldMenu, { key: "menu", graph }),
  ];
}

/**
 * The two buttons that fold or open a whole level of groups.
 * @param {(direction: 1 | -1) => unknown} turn
 * @param {boolean} isFolded whether all groups are folded
 * @param {boolean} isOpen whether all groups are open
 */
function levels(turn, isFolded, isOpen) {
  return [
    tool(say("fold-level"), isFolded, () => void turn(-1), h(Sign, { isOpen: false })),
    tool(say("unfold-level"), isOpen, () => void turn(1), h(Sign, { isOpen: true })),
  ];
}

/** @param {{memory: MemoryLayout}} props */
export function StorageFoldButtons({ memory: { groups, rows } }) {
  // The line of freed storages needs no buttons, because it is itself a button.
  if (groups.every(({ key }) => key === FREED)) return null;
  const has = (/** @type {boolean} */ isOpen) => rows.some(({ fold }) => fold?.isOpen === isOpen);
  return h(
    "div",
    { class: "switch folds", role: "group", "aria-label": say("folds-storages") },
    levels(turnStorages, !has(true), !has(false)),
  );
}

/** @param {{graph: GraphLayout}} props */
function FoldMenu({ graph: { groups, open, by, kinds } }) {
  const all = (/** @type {string} */ id, /** @type {boolean} */ isOpen, /** @type {boolean} */ isDone) =>
    button(
      {
        class: "display-row",
        "aria-disabled": isDone ? "true" : undefined,
        onClick: () => void foldAll(isOpen),
      },
      say(id),
    );
  /** In a narrow pane the menu has the buttons for a whole level. */
  const level = (/** @type {string} */ id, /** @type {1 | -1} */ direction, /** @type {boolean} */ isDone) =>
    button(
      {
        class: "display-row level",
        "aria-disabled": isDone ? "true" : undefined,
        onClick: () => void turnLevel(direction),
      },
      say(id),
    );
  /** @type {FoldedBy[]} */
  const options = ["all", ...kinds];
  const option = (/** @type {FoldedBy} */ kind) =>
    toggleButton(by === kind, () => void foldBy(kind), say(`fold-by-${kind}`), { key: kind });
  return h(
    "div",
    {
      class: "display folds-menu",
      id: "folds",
      popover: "auto",
      role: "group",
      "aria-labelledby": "folds-title",
    },
    h("h2", { id: "folds-title" }, say("folds")),
    kinds.length > 1
      ? h(
          "div",
          { class: "display-row" },
          h("span", { id: "fold-by" }, say("fold-by")),
          h("div", { class: "switch", role: "group", "aria-labelledby": "fold-by" }, options.map(option)),
        )
      : null,
    level("fold-level", -1, open.size === 0),
    level("unfold-level", 1, open.size === groups.length),
    all("fold-all", false, open.size === 0),
    all("unfold-all", true, open.size === groups.length),
  );
}

/**
 * The icon of a button: sheets in a stack to fold, or spread sheets to open.
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
 * Handles a click on the sign of a group, which folds or opens the group.
 * @param {MouseEvent} event
 * @param {(key: string) => unknown} turn
 */
export function foldByPointer(event, turn) {
  const target = event.target instanceof Element ? event.target.closest("[data-fold]") : null;
  if (target instanceof SVGElement && target.dataset.fold !== undefined) void turn(target.dataset.fold);
}
