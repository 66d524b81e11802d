/**
 * Owns the pane below the pictures: output, or calls and variables, behind tabs; on a small screen each is a
 * a separate pane.
 */

import { computed, h, signal } from "../../../vendor/ui.js";
import { iconButton } from "../buttons.js";
import { writeStored, readStored } from "../../io/browser-storage.js";
import { hasLargePane, isPresenting, turn } from "../../state/preferences.js";
import { divide } from "../../state/room.js";
import { played, state } from "../../state/store.js";
import { say } from "../../state/words.js";
import { MaximiseButton, onlyPane } from "../maximise.js";
import { Output } from "./output.js";
import { isSmall } from "../tabs.js";
import { changeCount, Variables } from "./variables.js";

/** @import {Signal} from "../../../vendor/ui.js" */

/** @typedef {"output" | "variables"} Side */
const SIDES = /** @type {const} */ (["output", "variables"]);

/**
 * The tab that the visitor selected.
 * @type {Signal<Side | null>}
 */
const wanted = signal(SIDES.find((tab) => tab === readStored("lower")) ?? null);
/** The shown tab: output comes first, where there is any. */
const shown = computed(
  () => wanted.value ?? ((played.value?.index.outputs.length ?? 0) > 0 ? "output" : "variables"),
);

/**
 * Whether the pane is there: in presenter mode not for a run that prints nothing, unless its variables were
 * asked for. The pictures have its room.
 */
export function hasLower() {
  const isAsked = wanted.value === "variables" || onlyPane() === "lower";
  return !isPresenting.value || isSmall.value || isAsked || (played.value?.index.outputs.length ?? 0) > 0;
}

export function LowerPane() {
  if (isSmall.value) return SIDES.map((side) => h(Alone, { side, key: side }));
  const side = shown.value;
  return h(
    "section",
    { class: `pane output-pane${hasLargePane.value ? " large" : ""}`, "aria-labelledby": `lower-${side}` },
    h("h2", { class: "visually-hidden" }, say(side)),
    h(
      "div",
      { class: "pane-head" },
      h(
        "div",
        { class: "lower-tabs", role: "tablist", "aria-label": say("lower"), onKeyDown: moveByKey },
        SIDES.map((tab) => h(Tab, { tab, isShown: tab === side, key: tab })),
      ),
      h("span", { class: "spring" }),
      iconButton(hasLargePane.value ? "lower" : "raise", say("lower-larger"), {
        class: "button icon-only larger",
        "aria-pressed": hasLargePane.value ? "true" : "false",
        onClick: turnLarge,
      }),
      h(MaximiseButton, { pane: "lower" }),
    ),
    h(
      "div",
      { class: "lower-panel", role: "tabpanel", id: "lower-panel", "aria-labelledby": `lower-${side}` },
      h(side === "output" ? Output : Variables, { label: `lower-${side}` }),
    ),
  );
}

/** Enlarge the pane, or restore it, from any position of its splitter. */
function turnLarge() {
  divide("lower", null);
  turn(hasLargePane);
}

/** @param {{tab: Side, isShown: boolean}} props */
function Tab({ tab, isShown }) {
  const look = {
    class: "lower-tab",
    type: "button",
    role: "tab",
    id: `lower-${tab}`,
    "aria-selected": isShown ? "true" : "false",
    "aria-controls": "lower-panel",
    tabIndex: isShown ? 0 : -1,
    onClick: () => show(tab),
  };
  return h("button", look, h("span", null, say(tab)), tab === "variables" ? h(Badge, null) : null);
}

/** How many variables this step bound. It keeps its place when there are none. */
function Badge() {
  const [index, now] = [played.value?.index, state.value];
  const count = index === undefined || now === null ? 0 : changeCount(index, now);
  return h(
    "span",
    {
      class: `badge-count${count === 0 ? " none" : ""}`,
      title: count === 0 ? undefined : say("variables-changed", { count }),
    },
    h("span", { "aria-hidden": "true" }, count > 99 ? "99+" : count),
    count === 0 ? null : h("span", { class: "visually-hidden" }, ` ${say("variables-changed", { count })}`),
  );
}

/** @param {Side} side */
function show(side) {
  wanted.value = side;
  writeStored("lower", side);
}

/** @param {KeyboardEvent} event */
function moveByKey(event) {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  event.preventDefault();
  const other = shown.peek() === "output" ? "variables" : "output";
  show(other);
  document.getElementById(`lower-${other}`)?.focus();
}

/** @param {{side: Side}} props */
function Alone({ side }) {
  if (side === "output" && (played.value?.index.outputs.length ?? 0) === 0) return null;
  return h(
    "section",
    { class: `pane ${side}-pane`, "aria-labelledby": `${side}-title` },
    h("div", { class: "pane-head" }, h("h2", { id: `${side}-title` }, say(side))),
    h(side === "output" ? Output : Variables, { label: `${side}-title` }),
  );
}
