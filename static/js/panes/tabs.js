/**
 * Chooses the pane that a small screen shows. The panes are in tabs. Below the tabs are the line of code
 * that just ran and the error of the run.
 */

import { codeOf } from "../run/places.js";
import { computed, effect, h, signal } from "../../vendor/ui.js";
import { button } from "./buttons.js";
import { SMALL } from "../layout/measures.js";
import { mode, played, state } from "../state/store.js";
import { say } from "../state/words.js";
import { runPanes } from "./run-panes.js";
import { BELOW } from "./story/below.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {BelowName} from "./story/below.js" */

/** @typedef {"code" | "story" | "graph" | "memory" | BelowName} Pane */
/**
 * The panes in the order of their tabs. Output is the last, because not every run prints something.
 * @type {Pane[]}
 */
const PANES = ["code", "story", "graph", "memory", ...BELOW.map(({ name }) => name).reverse()];

const small = matchMedia(SMALL);
/** Whether panes are tabs, as in the style sheets. */
export const isSmall = signal(small.matches);
small.addEventListener("change", () => (isSmall.value = small.matches));

/**
 * The pane that a small screen shows.
 * @type {Signal<Pane>}
 */
export const pane = signal("code");
/**
 * The pane that was shown last, not counting the code.
 * @type {Exclude<Pane, "code">}
 */
let last = "memory";

/**
 * The header of the shown run's trace. The header identifies the run, because it is the same object for all
 * granularities and layouts.
 */
const header = computed(() => played.value?.index.header);

// In edit mode, show the code. For a new run, show the pane that was shown last, or the story if the run
// went wrong.
effect(() => {
  const isEdited = mode.value === "edit" || header.value === undefined;
  const { ended, findings = [] } = played.peek()?.index ?? {};
  if (isEdited) pane.value = "code";
  else if (ended?.kind !== "finished" || findings.some(({ severity }) => severity !== "hint"))
    pane.value = "story";
  else if (pane.peek() === "code") pane.value = isThere(last, played.peek()) ? last : "memory";
});

/** @param {Pane} name */
export function show(name) {
  pane.value = name;
  if (name !== "code") last = name;
}

/**
 * Whether a run has something to show in a pane.
 * @param {Pane} name
 */
export function isThere(name, run = played.value) {
  const asks = BELOW.find((each) => each.name === name)?.isThere;
  return asks === undefined || (run !== null && asks(run.index));
}

/**
 * Whether a pane is visible.
 * @param {Pane} name
 */
export function isPaneShown(name) {
  return !isSmall.value || pane.value === name;
}

export function Tabs() {
  if (!isSmall.value || played.value === null) return null;
  const shown = PANES.filter((name) => isThere(name));
  return h(
    "nav",
    { class: "tabs", "aria-label": say("panes") },
    h(
      "div",
      {
        class: "tab-list",
        role: "tablist",
        "aria-label": say("panes"),
        onKeyDown: (/** @type {KeyboardEvent} */ event) => moveByKey(event, shown),
      },
      shown.map((name) => h(Tab, { name, key: name })),
    ),
    h(
      "div",
      { class: "right-of-tabs" },
      pane.value === "story" || runPanes.value === null
        ? null
        : h(runPanes.value.WrongPart, { toStory: () => show("story") }),
      h(JustRan, null),
    ),
  );
}

/** @param {{name: Pane}} props */
function Tab({ name }) {
  const isShown = pane.value === name;
  return button(
    {
      class: "tab",
      role: "tab",
      id: `tab-${name}`,
      "aria-selected": isShown ? "true" : "false",
      tabIndex: isShown ? 0 : -1,
      onClick: () => show(name),
    },
    say(`tab-${name}`),
  );
}

/**
 * @param {KeyboardEvent} event
 * @param {Pane[]} shown
 */
function moveByKey(event, shown) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const next = shown[(shown.indexOf(pane.peek()) + by + shown.length) % shown.length] ?? "code";
  show(next);
  document.getElementById(`tab-${next}`)?.focus();
}

/** The line of code that just ran, shown with panes other than the code. */
function JustRan() {
  const now = state.value;
  const index = played.value?.index;
  if (!now || !index || pane.value === "code") return null;
  return h(
    "p",
    { class: "just-ran" },
    h("span", { class: "just-ran-line" }, now.stop.place),
    h("code", null, codeOf(index, now.stop)),
  );
}
