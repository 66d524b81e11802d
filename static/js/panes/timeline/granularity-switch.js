/**
 * Owns the switches next to the playback controls: granularity (by line, by Node, by operator), speed, and
 * the buttons to the previous and next warning.
 */

import { h } from "../../../vendor/ui.js";
import { button, toggleButton, tool } from "../buttons.js";
import { constructionsOf } from "../../run/stops/constructions.js";
import { loopAt, mostRounds, roundAt } from "../../run/stops/loops.js";
import {
  nextSpeed,
  played,
  speed,
  toWarning,
  granularity,
  chooseGranularity,
  warningFrom,
} from "../../state/store.js";
import { GRANULARITIES } from "../../run/stops/granularity.js";
import { say } from "../../state/words.js";
import { Icon } from "../icons.js";

/** @import {Index} from "../../run/types.d.ts" */

export function GranularitySwitch() {
  return h(
    "div",
    { class: "switch granularity", role: "group", "aria-label": say("walk") },
    GRANULARITIES.map((option) =>
      toggleButton(granularity.value === option, () => chooseGranularity(option), say(`walk-${option}`), {
        key: option,
        title: say(`walk-${option}-means`),
      }),
    ),
  );
}

export function SpeedButton() {
  const text = speed.value === 0.5 ? "½×" : `${speed.value}×`;
  return button(
    {
      class: "button speed",
      title: say("speed-means"),
      "aria-label": say("speed", { speed: text }),
      onClick: nextSpeed,
    },
    text,
  );
}

/**
 * The text that states in which round of the innermost loop a step is.
 * @param {{index: Index, k: number}} props
 */
export function Round({ index, k }) {
  const loop = loopAt(index, k);
  return loop === undefined
    ? null
    : h(
        "span",
        { class: "round-now", title: say("round-keys") },
        ` · ${say("round", { round: roundAt(loop, k) + 1, count: loop.rounds.length })}`,
      );
}

/**
 * Invisible text that is as wide as the widest text for a position in the run, so that the timeline keeps
 * its width.
 * @param {{index: Index}} props
 */
export function PositionSizer({ index }) {
  const count = index.stops.length;
  const line = index.source.split("\n").length;
  const rounds = mostRounds(index);
  const isConstructing = constructionsOf(index).all.length > 0;
  const round = rounds === 0 ? "" : ` · ${say("round", { round: rounds, count: rounds })}`;
  return h(
    "span",
    {
      class: "sizer",
      "aria-hidden": "true",
      "data-step": isConstructing ? say("steps", { from: count, step: count }) : say("step", { step: count }),
      "data-line": say("line", { line }) + round,
    },
    ` ${say("step-of", { count })}`,
  );
}

/** The buttons to the previous and next warning, which are shown if the run has findings. */
export function WarningButtons() {
  if ((played.value?.index.findings ?? []).length === 0) return null;
  const to = (/** @type {"previous" | "next"} */ name, /** @type {1 | -1} */ direction) =>
    tool(
      say(`warning-${name}`),
      warningFrom(direction) === undefined,
      () => toWarning(direction),
      h(Icon, { name, size: 14 }),
    );
  return h(
    "div",
    { class: "switch warnings", role: "group", "aria-label": say("warnings") },
    to("previous", -1),
    h("span", null, h(Icon, { name: "warning", size: 17 })),
    to("next", 1),
  );
}
