/**
 * The entry point of the chunk for presenter mode. The page loads it when a visitor presents a run or opens
 * the note about a step.
 */

import { effect } from "../../../vendor/ui.js";
import { isFile } from "../../io/medium.js";
import { loadStylesheet } from "../../io/stylesheets.js";
import { withChunk } from "../../panes/chunks.js";
import { isPresenting } from "../../state/preferences.js";
import { noted } from "../../state/presenting.js";
import { played } from "../../state/store.js";
import { notedIn, notesOf, programs } from "./notes.js";

if (!isFile) await loadStylesheet(new URL("../../../css/presenting.css", import.meta.url));

export { Beyond } from "./beyond.js";
export { Dot } from "./dot.js";
export { LectureButton } from "./lecture-button.js";
export { Note } from "./note.js";

/**
 * The visitor's notes about the steps of a program. The keys are the steps as in an address.
 * @param {string} source
 */
export function notesAbout(source) {
  return notesOf(programs.peek(), source);
}

effect(() => {
  if (!isPresenting.value || isFile) return;
  withChunk("lecture", ({ keepWhatIsShown }) => keepWhatIsShown());
});

effect(() => {
  const index = played.value?.index;
  noted.value = index === undefined ? [] : notedIn(programs.value, index);
});
