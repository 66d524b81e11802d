/**
 * Owns the pane below the pictures. The tabs of the pane are the output, and the calls with their variables.
 * On a small screen each tab is a separate pane.
 */

import { computed, h, signal } from "../../../vendor/ui.js";
import { iconButton } from "../buttons.js";
import { perTrace } from "../../run/per-run.js";
import { writeStored, readStored } from "../../io/browser-storage.js";
import { hasLargePane, isPresenting, turn } from "../../state/preferences.js";
import { divide, shares } from "../../state/room.js";
import { played, state } from "../../state/store.js";
import { say } from "../../state/words.js";
import { loadChunk } from "../chunks.js";
import { Lazy } from "../lazy.js";
import { MaximiseButton, onlyPane } from "../maximise.js";
import { isPaneShown, isSmall, isThere } from "../tabs.js";
import { BELOW } from "./below.js";
import { Output } from "./output.js";
import { changeCount, Variables } from "./variables.js";

/** @import {Signal, VNode} from "../../../vendor/ui.js" */
/** @import {Index, State} from "../../run/types.d.ts" */
/** @import {BelowName} from "./below.js" */

/**
 * @typedef {object} Drawn
 * @property {(props: {label: string}) => VNode | null} View gets the id of the element that labels it
 * @property {(index: Index, now: State) => number} [count] the count in its tab, shown as `<name>-changed`
 */

/** @type {Readonly<Record<BelowName, Drawn>>} */
const VIEWS = {
  output: { View: Output },
  variables: { View: Variables, count: changeCount },
};

/**
 * The tab that the visitor selected.
 * @type {Signal<BelowName | null>}
 */
const wanted = signal(BELOW.find(({ name }) => name === readStored("lower"))?.name ?? null);
const shown = computed(() => BELOW.find(({ name }) => name === wanted.value) ?? BELOW[0]);

/**
 * Whether the pane below the pictures is shown. In presenter mode it is not shown for a run that prints
 * nothing, unless another tab is selected. Without this pane, the pictures get the space.
 */
export function hasLower() {
  return !isPresenting.value || isSmall.value || onlyPane() === "lower" || !isEmpty();
}

/** Whether the selected tab is the output of a run that prints nothing. */
function isEmpty() {
  return shown.value.name === "output" && !isThere("output");
}

/** Whether the pane is collapsed to a line, because it is empty and the visitor did not enlarge it. */
function isClosed() {
  const hasRoom = hasLargePane.value || shares.lower.value !== null || onlyPane() === "lower";
  return !isPresenting.value && !hasRoom && isEmpty();
}

export function LowerPane() {
  if (isSmall.value) return BELOW.map(({ name }) => h(Alone, { name, key: name }));
  const { name } = shown.value;
  const { View } = VIEWS[name];
  return h(
    "section",
    {
      class: `pane output-pane${hasLargePane.value ? " large" : ""}${isClosed() ? " closed" : ""}`,
      "aria-labelledby": `lower-${name}`,
      style: { "--lines": played.value === null ? LINES.least : linesPrinted(played.value.index) },
    },
    h("h2", { class: "visually-hidden" }, say(name)),
    h(
      "div",
      { class: "pane-head" },
      h(
        "div",
        { class: "lower-tabs", role: "tablist", "aria-label": say("lower"), onKeyDown: moveByKey },
        BELOW.map((each) => h(Tab, { name: each.name, isShown: each.name === name, key: each.name })),
      ),
      h("span", { class: "spring" }),
      h(Lazy, { isAsked: true, load: async () => (await loadChunk("legend")).Legend }),
      iconButton(hasLargePane.value ? "lower" : "raise", say("lower-larger"), {
        class: "button icon-only larger",
        "aria-pressed": hasLargePane.value ? "true" : "false",
        onClick: turnLarge,
      }),
      h(MaximiseButton, { pane: "lower" }),
    ),
    h(
      "div",
      { class: "lower-panel", role: "tabpanel", id: "lower-panel", "aria-labelledby": `lower-${name}` },
      h(View, { label: `lower-${name}` }),
    ),
  );
}

/**
 * The minimum and maximum height of the pane in lines. Between them, the height depends on the number of
 * lines that the run prints.
 */
const LINES = { least: 3, most: 4 };

const linesPrinted = perTrace(({ outputs }) => {
  let count = 0;
  for (const { text } of outputs) {
    count += text.split("\n", LINES.most + 1).length - 1;
    if (count >= LINES.most) return LINES.most;
  }
  return Math.max(LINES.least, count);
});

/** Enlarges or restores the pane, wherever its splitter was moved. */
function turnLarge() {
  divide("lower", null);
  turn(hasLargePane);
}

/** @param {{name: BelowName, isShown: boolean}} props */
function Tab({ name, isShown }) {
  const { count } = VIEWS[name];
  const look = {
    class: "lower-tab",
    type: "button",
    role: "tab",
    id: `lower-${name}`,
    "aria-selected": isShown ? "true" : "false",
    "aria-controls": "lower-panel",
    tabIndex: isShown ? 0 : -1,
    onClick: () => show(name),
  };
  return h("button", look, h("span", null, say(name)), count ? h(Badge, { name, countOf: count }) : null);
}

/**
 * The number next to a tab's name, such as the number of calls at this step. The space for the number is
 * reserved even if the number is 0.
 * @param {{name: BelowName, countOf: NonNullable<Drawn["count"]>}} props
 */
function Badge({ name, countOf }) {
  const [index, now] = [played.value?.index, state.value];
  const count = index === undefined || now === null ? 0 : countOf(index, now);
  return h(
    "span",
    {
      class: `badge-count${count === 0 ? " none" : ""}`,
      title: count === 0 ? undefined : say(`${name}-changed`, { count }),
    },
    h("span", { "aria-hidden": "true" }, count > 99 ? "99+" : count),
    count === 0 ? null : h("span", { class: "visually-hidden" }, ` ${say(`${name}-changed`, { count })}`),
  );
}

/** @param {BelowName} name */
function show(name) {
  wanted.value = name;
  writeStored("lower", name);
}

/** @param {KeyboardEvent} event */
function moveByKey(event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const next = BELOW[(BELOW.indexOf(shown.peek()) + by + BELOW.length) % BELOW.length] ?? BELOW[0];
  show(next.name);
  document.getElementById(`lower-${next.name}`)?.focus();
}

/** @param {{name: BelowName}} props */
function Alone({ name }) {
  if (!isThere(name)) return null;
  const { View } = VIEWS[name];
  return h(
    "section",
    {
      class: `pane alone ${name}-pane${isPaneShown(name) ? " shown" : ""}`,
      "aria-labelledby": `${name}-title`,
    },
    h("div", { class: "pane-head" }, h("h2", { id: `${name}-title` }, say(name))),
    h(View, { label: `${name}-title` }),
  );
}
