/**
 * Owns the line with the note about the step, which can be read while presenting and written at any time.
 */

import { h, useLayoutEffect, useRef } from "../../../vendor/ui.js";
import { iconButton } from "../../panes/buttons.js";
import { advance, retreat } from "../../state/prediction.js";
import { isPresenting } from "../../state/preferences.js";
import { turnNote } from "../../state/presenting.js";
import { isPlaying, played, state } from "../../state/store.js";
import { say } from "../../state/words.js";
import { MOST, noteOf, programs, write } from "./notes.js";

/** @typedef {{currentTarget: HTMLTextAreaElement}} Typed */

/** The line with the note. The line has the same height at each step, so that nothing moves. */
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
    before.current = document.activeElement; // before the next key, which belongs to the note
    const isOpenedByRoom = before.current?.closest("#room") != null; // opened with the projected window
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
 * Handles keys while the note has the focus. The keys of a clicker go to another step. Escape returns the
 * focus to the previously focused element.
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
