/**
 * Owns the overlays of presenter mode: a blank screen, a dot that follows the mouse, and the visitor's note
 * about the step. Leaving presenter mode ends the blank screen and the dot.
 *
 * A clicker sends `b` or `.` to blank the screen, so `.` does not step in presenter mode.
 */

import { effect, signal } from "../../vendor/ui.js";
import { isPresenting } from "./preferences.js";

/** @import {Signal} from "../../vendor/ui.js" */

/** Whether the screen is blank. The next key press or click shows the page again. */
export const isBlank = signal(false);
/** Whether a dot follows the mouse. */
export const hasDot = signal(false);
/** Whether the note about the step is open, for reading and writing. */
export const noteIsOpen = signal(false);
/**
 * The stops to which the visitor wrote a note.
 * @type {Signal<number[]>}
 */
export const noted = signal([]);

effect(() => {
  if (isPresenting.value) return;
  isBlank.value = false;
  hasDot.value = false;
});

// The style sheet hides the page while the attribute is set.
effect(() => {
  document.documentElement.toggleAttribute("data-blank", isBlank.value);
});

/** Blanks the screen, in presenter mode only. */
export function blank() {
  isBlank.value = isPresenting.peek();
}

/** Shows or hides the dot, in presenter mode only. */
export function turnDot() {
  hasDot.value = isPresenting.peek() && !hasDot.peek();
}

export function turnNote() {
  noteIsOpen.value = !noteIsOpen.peek();
}
