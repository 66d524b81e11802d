/** Entry of the presenter's chunk: nothing needs it before a visitor presents a run or writes a note. */

import { effect } from "../../../vendor/ui.js";
import { noted } from "../../state/presenting.js";
import { played } from "../../state/store.js";
import { notedIn, programs } from "./notes.js";

export { Beyond } from "./beyond.js";
export { Dot } from "./dot.js";
export { Note } from "./note.js";

effect(() => {
  const index = played.value?.index;
  noted.value = index === undefined ? [] : notedIn(programs.value, index);
});
