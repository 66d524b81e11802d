/**
 * Owns the line that a visitor chose in the code of a recorded run, and the message that reports the result
 * of a key or a click there.
 */

import { computed, signal } from "../../vendor/ui.js";
import { nextOnLine } from "../run/stops/line-stops.js";
import { breakpoints, toBreakpoint, toggleBreakpoint } from "./breakpoints.js";
import { isPredicting } from "./preferences.js";
import { advance } from "./prediction.js";
import { goTo, mode, played, state, step } from "./store.js";

/** @import {Signal} from "../../vendor/ui.js" */

/**
 * The chosen line. `run`: an object that identifies the run to which the line belongs.
 * @type {Signal<{line: number, run: object} | null>}
 */
const cursor = signal(null);

/** The line chosen in the shown run; null if no line is chosen. */
export const chosenLine = computed(() => {
  const current = cursor.value;
  return current !== null && mode.value === "replay" && current.run === played.value?.index.steps
    ? current.line
    : null;
});

/** @param {number | null} line */
export function chooseLine(line) {
  const run = played.peek()?.index.steps;
  cursor.value = line === null || run === undefined ? null : { line, run };
}

/** The line that keyboard shortcuts apply to: the chosen line, or else the line of the shown step. */
export function lineOfKeys() {
  return chosenLine.peek() ?? (state.peek()?.stop.line || 1);
}

/** @typedef {{id: string, args: Record<string, string | number>}} Answer a message */
/**
 * The latest message about a key or a click in the code. `at`: the only step at which the message is shown.
 * @type {Signal<{answer: Answer, at: number} | null>}
 */
const answered = signal(null);

/** The message that is shown at the current step; null if there is none. */
export const answer = computed(() => (answered.value?.at === step.value ? answered.value.answer : null));

/**
 * @param {string} id
 * @param {Answer["args"]} args
 */
function tell(id, args) {
  answered.value = { answer: { id, args }, at: step.peek() };
}

/**
 * Goes to the next or previous step that executes a line. The last step of a line is followed by its first
 * step again, and a message reports this jump.
 * @param {number} line
 * @param {1 | -1} [direction]
 */
export function toLine(line, direction = 1) {
  const index = played.peek()?.index;
  if (index === undefined) return;
  const next = nextOnLine(index, line, step.peek(), direction);
  if (next === null) return tell("line-never", { line });
  const isSame = next.k === step.peek();
  if (isPredicting.peek() && next.k > step.peek()) advance();
  else goTo(next.k);
  if (isSame) tell("line-once", { line });
  else if (next.isWrapped) tell(direction === 1 ? "line-wrapped" : "line-wrapped-back", { line });
  else answered.value = null;
}

/** @param {number} line */
export function breakAt(line) {
  tell(toggleBreakpoint(line) ? "breakpoint-set" : "breakpoint-removed", { line });
}

/** @param {1 | -1} direction */
export function runTo(direction) {
  if (toBreakpoint(direction)) answered.value = null;
  else
    tell(
      breakpoints.peek().size === 0
        ? "breakpoint-none"
        : direction === 1
          ? "breakpoint-last"
          : "breakpoint-first",
      {},
    );
}
