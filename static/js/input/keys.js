/** Owns the keyboard shortcuts of the page, outside the editor. */

import { toChange } from "../state/selection.js";
import { isCharacter } from "./keymap.js";
import { searchText } from "../state/graph-cursor.js";
import { switchEditing } from "../panes/code/code.js";
import { keepFocus, toPane } from "./landmarks.js";
import { runPanes } from "../panes/run-panes.js";
import { maximise, maximiseByKey } from "../panes/maximise.js";
import { breakAt, chooseLine, chosenLine, lineOfKeys, runTo, toLine } from "../state/code-cursor.js";
import { advance, retreat } from "../state/prediction.js";
import { asText, hasCharacterKeys, hasValues, isPresenting, turn } from "../state/preferences.js";
import { blank, hasDot, turnDot, turnNote } from "../state/presenting.js";
import { maximised } from "../state/room.js";
import { runOrStop, stop } from "../session/running.js";
import {
  goBy,
  goTo,
  helpPart,
  isBusy,
  isPlaying,
  nextGranularity,
  stepCount,
  toast,
  toConstruction,
  toRound,
  toStatement,
  toWarning,
} from "../state/store.js";

/** @import {ReplayKey} from "./keymap.js" */

/** @type {Record<ReplayKey, () => void>} */
const MOVES = {
  ".": () => (isPresenting.peek() ? blank() : advance()), // presentation remotes send this key
  ",": retreat,
  ">": () => toStatement(1),
  "<": () => toStatement(-1),
  "Shift+ArrowRight": () => toStatement(1),
  "Shift+ArrowLeft": () => toStatement(-1),
  g: nextGranularity,
  i: () => toRound(1),
  I: () => toRound(-1),
  "]": () => toChange(1),
  "[": () => toChange(-1),
  ArrowRight: advance,
  ArrowLeft: retreat,
  Home: () => goTo(0),
  End: () => goTo(stepCount.peek() - 1),
  PageDown: () => (isPresenting.peek() ? advance() : goBy(10)), // presentation remotes send this key
  PageUp: () => (isPresenting.peek() ? retreat() : goBy(-10)),
  " ": () => (isPlaying.value = !isPlaying.peek()),
  w: () => toWarning(1),
  W: () => toWarning(-1),
  n: () => toLine(lineOfKeys(), 1),
  N: () => toLine(lineOfKeys(), -1),
  x: () => breakAt(lineOfKeys()),
  c: () => runTo(1),
  C: () => runTo(-1),
  u: toConstruction,
  h: () => runPanes.peek()?.hideChosen(),
  k: () => runPanes.peek()?.pinChosen(),
  Y: () => runPanes.peek()?.askWhy(),
  "/": () => (searchText.value ??= ""),
  e: () => turn(hasValues),
  t: () => turn(asText),
  m: maximiseByKey,
  p: () => turn(isPresenting),
  b: blank,
  d: turnDot,
  o: turnNote,
};

/** Adds the listeners for the keyboard shortcuts, which are never removed. */
export function listen() {
  keepFocus();
  window.addEventListener(
    "keydown",
    (event) => {
      // ignore repeated events, so that a key that is held down runs the code once
      if (event.repeat && isRunKey(event)) act(event, () => event.stopPropagation());
    },
    { capture: true },
  );
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]") !== null) return;
    if (isRunKey(event)) return act(event, runOrStop);
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === "F2" && !event.shiftKey) return act(event, switchEditing);
    if (event.key === "F6") return act(event, () => toPane(event.shiftKey ? -1 : 1));
    if (isTyping(event)) return;
    if (event.key === "Escape") return leave(event);
    if (isCharacter(event.key) && !hasCharacterKeys.peek()) return;
    const name = nameOf(event);
    if (name === "?" || name === "l")
      return act(event, () => (helpPart.value = name === "l" ? "legend" : "keys"));
    if (stepCount.peek() > 0 && isMove(name) && !(name === " " && isControl(event)))
      act(event, () => move(name));
  });
}

/**
 * Handles Escape: stops the run in progress, or else closes the innermost layer that is open. The recording
 * stays on the page.
 * @param {KeyboardEvent} event
 */
function leave(event) {
  if (isBusy.peek()) return act(event, stop);
  if (document.querySelector("[popover=auto]:popover-open")) return; // the browser itself closes the popover
  if (toast.peek() !== null) return act(event, () => (toast.value = null));
  if (hasDot.peek()) return act(event, turnDot);
  if (maximised.peek() !== null) return act(event, () => maximise(null));
  if (chosenLine.peek() !== null) return act(event, () => chooseLine(null));
  if (isPresenting.peek()) act(event, () => turn(isPresenting));
}

/**
 * @param {string} name
 * @returns {name is ReplayKey}
 */
function isMove(name) {
  return Object.hasOwn(MOVES, name);
}

/**
 * Performs an action. Stepping by hand stops playback.
 * @param {ReplayKey} name
 */
function move(name) {
  if (name !== " ") isPlaying.value = false;
  MOVES[name]();
}

/**
 * The name by which the shortcuts list a key. On every keyboard layout, `>` and `<` stand for Shift with the
 * keys `.` and `,`.
 * @param {KeyboardEvent} event
 */
function nameOf(event) {
  if (event.shiftKey && event.code === "Period") return ">";
  if (event.shiftKey && event.code === "Comma") return "<";
  if (event.shiftKey && (event.key === "ArrowRight" || event.key === "ArrowLeft"))
    return `Shift+${event.key}`;
  return event.key;
}

/**
 * @param {KeyboardEvent} event
 * @param {() => void} what
 */
function act(event, what) {
  event.preventDefault();
  what();
}

/** @param {KeyboardEvent} event */
function isRunKey(event) {
  return (event.ctrlKey || event.metaKey) && event.key === "Enter";
}

/**
 * Whether an element is invisible. An element that was just hidden, such as a button of a closed dialog,
 * still has the focus for one frame.
 * @param {Element} target
 */
function isHidden(target) {
  return target.getClientRects().length === 0;
}

/** @param {KeyboardEvent} event */
function isTyping(event) {
  const target = /** @type {Element} */ (event.composedPath()[0]);
  if (!(target instanceof HTMLElement) || isHidden(target)) return false;
  if (target.isContentEditable || isField(target)) return true;
  return target instanceof HTMLInputElement && target.type !== "range";
}

/** @param {Element} target */
function isField(target) {
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

/** @param {KeyboardEvent} event */
function isControl(event) {
  return (
    event.target instanceof Element &&
    event.target.closest("button, a, select, input:not([type=range])") !== null &&
    !isHidden(event.target)
  );
}
