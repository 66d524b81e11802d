/** Maximizes one pane of a run, by a button in each pane or by a key, and announces it to screen readers. */

import { effect, signal } from "../../vendor/ui.js";
import { iconButton } from "./buttons.js";
import { maximised } from "../state/room.js";
import { mode, step } from "../state/store.js";
import { say } from "../state/words.js";
import { isSmall } from "./tabs.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {Pane} from "../state/room.js" */

/**
 * The pane that was maximized last (null: all panes were restored) and the step at that time, for screen
 * readers.
 * @type {Signal<{pane: Pane | null, at: number} | null>}
 */
const last = signal(null);

// The pictures show a new run, so restore all panes if the code was maximized for editing.
effect(() => {
  if (mode.value === "replay" && maximised.peek() === "code") maximised.value = null;
});

/** The maximized pane; null if there is none, or on a small screen, where tabs determine the visible pane. */
export function onlyPane() {
  return isSmall.value ? null : maximised.value;
}

/** @param {{pane: Pane}} props */
export function MaximiseButton({ pane }) {
  if (isSmall.value) return null;
  const isAlone = maximised.value === pane;
  const label = say(isAlone ? "restore-panes" : "maximise-pane");
  return iconButton(isAlone ? "restore" : "maximise", say("maximise-pane"), {
    class: "button icon-only maximise",
    title: `${label} (m)`,
    "aria-pressed": isAlone ? "true" : "false",
    onClick: () => maximise(isAlone ? null : pane),
  });
}

/** @param {Pane | null} pane null: restore all panes */
export function maximise(pane) {
  maximised.value = pane;
  last.value = { pane, at: step.peek() };
}

/**
 * Restores all panes if one is maximized. Otherwise maximizes the pane with the focus, or else the pane
 * under the pointer, or else the graph.
 */
export function maximiseByKey() {
  const buttonIn = (/** @type {Element | null | undefined} */ pane) =>
    pane?.querySelector(".maximise") ?? null;
  const button =
    document.querySelector('.maximise[aria-pressed="true"]') ??
    buttonIn(document.activeElement?.closest(".pane")) ??
    buttonIn(document.querySelector(".pane:hover")) ??
    document.querySelector(".graph-pane .maximise");
  /** @type {HTMLElement | null} */ (button)?.click();
}

/**
 * The text for screen readers that states which pane was maximized or restored; null after the step changed.
 */
export function spokenOfPanes() {
  const now = last.value;
  if (now === null || now.at !== step.value) return null;
  return now.pane === null
    ? say("panes-back")
    : say("pane-alone", { pane: say(now.pane === "lower" ? "lower" : `tab-${now.pane}`) });
}
