/**
 * Owns the buttons of presenter mode, and loads the chunk with the dot at the mouse pointer and the notes
 * about steps.
 */

import { effect, h, signal } from "../../vendor/ui.js";
import { iconButton } from "./buttons.js";
import { readStored } from "../io/browser-storage.js";
import { isFile } from "../io/medium.js";
import { isPresenting, turn } from "../state/preferences.js";
import { noted, noteIsOpen, turnNote } from "../state/presenting.js";
import { played, replay, state } from "../state/store.js";
import { say } from "../state/words.js";
import { withChunk } from "./chunks.js";

/** @import {PresenterChunk} from "./chunks.js" */

/** @type {import("../../vendor/ui.js").Signal<PresenterChunk | null>} */
const chunk = signal(null);

/** Loads the presenter chunk when presenter mode begins, or if this browser has stored notes. */
export function loadPresenter() {
  effect(() => {
    if (replay.value === null || chunk.peek() !== null) return;
    if (isPresenting.value || noteIsOpen.value || readStored("notes") !== null)
      withChunk("presenter", (loaded) => (chunk.value = loaded));
  });
}

/**
 * The layer over the panes in presenter mode, with the marks of hidden content and the dot at the mouse
 * pointer.
 */
export function PresenterLayer() {
  if (chunk.value === null || !isPresenting.value) return null;
  const { Beyond, Dot } = chunk.value;
  return [h(Beyond, { key: "beyond" }), h(Dot, { key: "dot" })];
}

/** The text field with the visitor's note about the current step, while it is open. */
export function StepNote() {
  return chunk.value !== null && noteIsOpen.value && state.value !== null ? h(chunk.value.Note, null) : null;
}

/** The button in the header that starts presenter mode. */
export function PresentButton() {
  return iconButton("present", say("presenting"), {
    size: 18,
    class: "button icon-only present",
    title: `${say("presenting")} (p)`,
    "aria-pressed": isPresenting.value ? "true" : "false",
    onClick: () => turn(isPresenting),
  });
}

/** The buttons of presenter mode, in which the page shows only the run. */
export function PresentingButtons() {
  if (!isPresenting.value) return null;
  return h(
    "div",
    { class: "presenting-buttons" },
    played.value === null ? null : h(NoteButton, null),
    chunk.value === null || isFile ? null : h(chunk.value.LectureButton, null),
    iconButton("cross", say("leave-presenting"), {
      class: "button icon-only leave",
      onClick: () => turn(isPresenting),
    }),
  );
}

/** The button that opens the note about the current step. The button shows whether the step has a note. */
function NoteButton() {
  const isNoted = noted.value.includes(state.value?.k ?? -1);
  const label = say(isNoted ? "note-open-noted" : "note-open");
  return iconButton("note", label, {
    class: `button icon-only note-button${isNoted ? " noted" : ""}`,
    title: `${label} (o)`,
    "aria-expanded": noteIsOpen.value ? "true" : "false",
    onClick: turnNote,
  });
}
