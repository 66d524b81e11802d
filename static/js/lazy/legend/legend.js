/** Owns the legend of a run: a button, and the panel above the button with the signs that the run shows. */

import { h, useEffect, useRef, useState } from "../../../vendor/ui.js";
import { inSlices } from "../../io/slices.js";
import { preparingSigns, signsOf } from "../../layout/signs.js";
import { correctedGradientsOf } from "../../session/follow-ups.js";
import { played } from "../../state/store.js";
import { say } from "../../state/words.js";
import { button } from "../../panes/buttons.js";
import { LegendEntries } from "./entries.js";

/** @import {GraphLayout, Index, MemoryLayout} from "../../run/types.d.ts" */

/** The distance in px between the legend's button and its panel. */
const GAP = 8;

/** The button and panel of the legend. The panel has all signs that the run shows at any step. */
export function Legend() {
  const panel = useRef(/** @type {HTMLDivElement | null} */ (null));
  const opener = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const run = played.value;
  const [signs, showSigns] = useState(/** @type {Set<string>} */ (new Set()));
  useEffect(() => {
    const gone = new AbortController();
    // The result is ignored if another run is shown when it arrives.
    if (run !== null) void readSigns(run, gone.signal).then(showSigns, () => undefined);
    return () => gone.abort();
  }, [run?.index.lookups, run?.graph, run?.memory, run && correctedGradientsOf(run.index)]);
  if (signs.size === 0) return null;
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
      h(LegendEntries, { signs }),
    ),
  ];
}

/**
 * @param {{index: Index, graph: GraphLayout, memory: MemoryLayout}} run
 * @param {AbortSignal} signal
 */
async function readSigns({ index, graph, memory }, signal) {
  await inSlices(preparingSigns(index, memory), signal);
  return signsOf(index, graph, memory);
}
