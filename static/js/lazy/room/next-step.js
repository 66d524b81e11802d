/** Owns the teacher's preview of the next step: its line and its first sentence. */

import { codeOf } from "../../run/places.js";
import { h } from "../../../vendor/ui.js";
import { stateAt } from "../../run/state-at.js";
import { plain } from "../../panes/rich.js";
import { sentencesOf } from "../../panes/story/story.js";
import { heldStops, played, state, stopFrom } from "../../state/store.js";
import { say, tell } from "../../state/words.js";

export function NextStep() {
  const [run, now] = [played.value, state.value];
  if (run === null || now === null) return null;
  const { index } = run;
  const k = stopFrom(1);
  const next = index.stops[k];
  if (next === undefined || k === now.k)
    return h("p", { class: "room-next" }, h("b", null, say("room-next-none")));
  const code = codeOf(index, next).trim();
  // While a question to the class about the next step is open, the sentence is omitted, because this page
  // may be projected.
  const [first] = heldStops.value === null ? sentencesOf(index, stateAt(index, k)) : [];
  const told = first === undefined ? "" : plain(tell(first));
  return h(
    "p",
    { class: "room-next", title: told },
    h("b", null, say("room-next", { line: next.place })),
    " ",
    h("code", null, code),
    " ",
    h("span", { class: "room-next-sentence" }, told),
  );
}
