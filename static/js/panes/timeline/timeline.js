/** Owns the timeline: the playback controls, the track, and the position. */

import { StepWords } from "./slider.js";
import { toggleButton, tool } from "../buttons.js";
import { h } from "../../../vendor/ui.js";
import { constructionsOf, passedBefore } from "../../run/stops/constructions.js";
import { isOld, played, state } from "../../state/store.js";
import { say } from "../../state/words.js";
import { selectLargest } from "../../state/selection.js";
import { isZoomed, showWhole, zoomBy } from "../../state/timeline-range.js";
import { Playback } from "./playback.js";
import { Icon } from "../icons.js";
import { PresentingButtons } from "../presenting.js";
import { isLong, usageShort, Track } from "./track.js";
import { PositionSizer, Round } from "./granularity-switch.js";

/** @import {Index} from "../../run/types.d.ts" */

export function Timeline() {
  const now = state.value;
  const index = played.value?.index;
  if (!index || !now) return null;
  return h(
    "footer",
    { class: "pane timeline", "aria-label": say("timeline") },
    h(Playback, null),
    h(Track, { index, k: now.k }),
    h(Position, { index, k: now.k }),
    h(PresentingButtons, null),
  );
}

/**
 * The current step, line and memory usage.
 * @param {{index: Index, k: number}} props
 */
function Position({ index, k }) {
  const passed = passedBefore(constructionsOf(index), k);
  return h(
    "div",
    { class: "position" },
    isLong(index) ? h(ZoomSwitch, null) : null,
    h(StepWords, { k, passed, count: index.stops.length }),
    h(
      "p",
      { class: "position-line" },
      say("line", { line: index.stops[k]?.place ?? 1 }),
      h(Round, { index, k }),
    ),
    h(
      "p",
      { class: "position-usage" },
      usageShort(index, k),
      " ",
      h(
        "button",
        { type: "button", title: say("living-largest-means"), onClick: selectLargest },
        say("living-largest"),
      ),
    ),
    h(PositionSizer, { index }),
    isOld.value ? h("span", { class: "edited" }, h(Icon, { name: "edit", size: 14 }), say("edited")) : null,
  );
}

/** The zoom of the timeline of a long run. */
function ZoomSwitch() {
  return h(
    "div",
    { class: "switch timeline-zoom", role: "group", "aria-label": say("timeline-zoom") },
    tool(say("timeline-wider"), false, () => zoomBy(-1), "−"),
    toggleButton(!isZoomed.value, showWhole, say("timeline-whole"), { title: say("timeline-whole-means") }),
    tool(say("timeline-nearer"), false, () => zoomBy(1), "+"),
  );
}
