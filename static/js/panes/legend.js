/** Owns the legend of a run: a button, and the panel above it with the signs that the run shows. */

import { effect, h, signal, useMemo, useRef } from "../../vendor/ui.js";
import { signsOf } from "../layout/signs.js";
import { played } from "../state/store.js";
import { say } from "../state/words.js";
import { button } from "./buttons.js";
import { withChunk } from "./chunks.js";

/** @import {LegendChunk} from "./chunks.js" */

/** Px between the button and the panel. */
const GAP = 8;

/**
 * It loads with the first run.
 * @type {import("../../vendor/ui.js").Signal<LegendChunk | null>}
 */
const chunk = signal(null);

effect(() => {
  if (played.value !== null && chunk.peek() === null) withChunk("legend", (loaded) => (chunk.value = loaded));
});

/** The signs that the run shows at any of its steps. */
export function Legend() {
  const panel = useRef(/** @type {HTMLDivElement | null} */ (null));
  const opener = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const run = played.value;
  const signs = useMemo(
    () => run && signsOf(run.index, run.graph, run.memory),
    [run?.index.lookups, run?.graph, run?.memory],
  );
  if (!signs || signs.size === 0 || chunk.value === null) return null;
  const place = () => {
    const at = opener.current?.getBoundingClientRect();
    if (at === undefined || panel.current === null) return;
    panel.current.style.right = `${innerWidth - at.right}px`;
    panel.current.style.bottom = `${innerHeight - at.top + GAP}px`;
  };
  return [
    button(
      { key: "open", class: "button legend-button", popovertarget: "legend", ref: opener },
      say("legend"),
    ),
    h(
      "div",
      {
        ...{ key: "panel", class: "pane legend", id: "legend", popover: "auto", ref: panel },
        ...{ role: "group", "aria-label": say("legend"), onBeforeToggle: place },
      },
      h(chunk.value.LegendEntries, { signs }),
    ),
  ];
}
