/** Owns the text field with the visitor's note about the current step. */

import { h, useLayoutEffect, useRef } from "../../../vendor/ui.js";
import { iconButton } from "../../panes/buttons.js";
import { advance, retreat } from "../../state/prediction.js";
import { isPresenting } from "../../state/preferences.js";
import { turnNote } from "../../state/presenting.js";
import { isPlaying, played, state } from "../../state/store.js";
import { say } from "../../state/words.js";
import { MOST, noteOf, programs, write } from "./notes.js";

/** @typedef {{currentTarget: HTMLTextAreaElement}} Typed */

/**
 * The text field with the note. The field has the same height at each step, so that a step does not move the
 * layout.
 */
export function Note() {
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const k = state.value?.k ?? 0;
  const index = played.value?.index;
  const before = useRef(/** @type {Element | null} */ (null));
  const back = () => {
    field.current?.blur();
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  useLayoutEffect(() => {
    // Runs before the browser handles the next key, so that this key already types into the note.
    before.current = document.activeElement;
    // If the teacher opened the projected window of a room, the note opened with it and gets no focus.
    const isOpenedByRoom = before.current?.closest("#room") != null;
    if (!isOpenedByRoom) field.current?.focus();
    return back;
  }, []);
  if (index === undefined) return null;
  return h(
    "section",
    { class: "pane note", "aria-labelledby": "note-title" },
    h("label", { id: "note-title", for: "note" }, say("note-title", { step: k + 1 })),
    h("textarea", {
      id: "note",
      ref: field,
      rows: 2,
      maxLength: MOST.letters,
      placeholder: say("note-hint"),
      value: noteOf(programs.value, index, k),
      onInput: (/** @type {Typed} */ { currentTarget }) => write(index, k, currentTarget.value),
      onKeyDown: (/** @type {KeyboardEvent} */ event) => stepOrLeave(event, back),
    }),
    iconButton("cross", say("note-close"), { onClick: turnNote }),
  );
}

/**
 * Handles keys while the text field has the focus. Page Up and Page Down, the keys of a presentation remote,
 * change the step in presenter mode. Escape returns the focus to the element that had it before.
 * @param {KeyboardEvent} event
 * @param {() => void} back
 */
function stepOrLeave(event, back) {
  const isClicker = isPresenting.peek() && (event.key === "PageDown" || event.key === "PageUp");
  if (!isClicker && event.key !== "Escape") return;
  event.preventDefault();
  if (event.key === "Escape") return back();
  isPlaying.value = false;
  if (event.key === "PageDown") advance();
  else retreat();
}
