/** Owns the note about a step that the sharer published with a snippet. */

import { h } from "../../../vendor/ui.js";
import { legibleLines } from "../../run/legible.js";
import { stepAddress } from "../../run/stops/step-address.js";
import { heading, played, snippet, state } from "../../state/store.js";
import { say } from "../../state/words.js";

export function SharedNote() {
  const [shown, index, now] = [heading.value, played.value?.index, state.value];
  if (shown === null || shown.id !== snippet.value || index === undefined || now === null) return null;
  const note = shown.notes[stepAddress(index, now.k)] ?? "";
  if (note === "") return null;
  return h(
    "figure",
    { class: "shared-note" },
    h("figcaption", { class: "sharing-quiet" }, say("shared-note")),
    h("blockquote", null, legibleLines(note)),
  );
}
