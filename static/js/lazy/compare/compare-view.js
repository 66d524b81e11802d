/**
 * Owns the view of a comparison: verdicts, differences, both sides, one timeline, and the announcement of a
 * step for screen readers.
 */

import { toggleButton } from "../../panes/buttons.js";
import { computed, h, signal } from "../../../vendor/ui.js";
import { comparison, states } from "./comparing.js";
import { asText } from "../../state/preferences.js";
import { isAsking } from "../../state/prediction.js";
import { shares } from "../../state/room.js";
import { isPlaying, step } from "../../state/store.js";
import { SIDES } from "./comparison.js";
import { say, tell } from "../../state/words.js";
import { onlyPane } from "../../panes/maximise.js";
import { Notice } from "../../panes/notice.js";
import { TextSwitch } from "../../panes/story/text-view.js";
import { PairTimeline } from "./pair-timeline.js";
import { plain } from "../../panes/rich.js";
import { FixStrip } from "./fix-strip.js";
import { LETTERS, Side } from "./side.js";
import { Splitter } from "../../panes/splitter.js";
import { sentencesOf } from "../../panes/story/story.js";
import { isSmall } from "../../panes/tabs.js";
import { Differences, spokenOfDifferences, titleOf, Verdicts } from "./compare-verdict.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {Part} from "./side.js" */
/** @import {SideName} from "./comparison.js" */
/** @import {ComparedRuns} from "./comparison-replay.js" */

const medium = matchMedia("(max-width: 1279px)");
/**
 * Whether a side of the comparison is too narrow for both pictures. The media query is the same as in the
 * style sheet.
 */
const isMedium = signal(medium.matches);
medium.addEventListener("change", () => (isMedium.value = medium.matches));

/**
 * The selected pane, on pages where not all panes of a side fit.
 * @type {Signal<Part>}
 */
const chosen = signal("memory");

/** The panes to choose from; empty on pages where all panes of a side fit. */
const choices = computed(
  () =>
    /** @type {Part[]} */ (
      isSmall.value
        ? ["code", "story", "graph", "memory"]
        : isMedium.value
          ? ["story", "graph", "memory"]
          : []
    ),
);

/** @param {Part} part */
function shows(part) {
  const only = onlyPane();
  if (only !== null && only !== "lower") return part === only;
  return !choices.value.includes(part) || part === shownPart();
}

/** @returns {Part} */
function shownPart() {
  return choices.value.includes(chosen.value) ? chosen.value : "memory";
}

export function Compare() {
  const both = comparison.value?.both;
  if (both === undefined) return null;
  return [
    h(
      "main",
      { id: "main", class: `main compare${asText.value ? " as-text" : ""}`, style: sharesOfBoth(both) },
      h(
        "h1",
        { class: "visually-hidden" },
        say("compare-title", { left: plain(titleOf(both.left)), right: plain(titleOf(both.right)) }),
      ),
      h("div", { class: "compare-head" }, h(Verdicts, { both }), h(FixStrip, { both })),
      h("div", { class: "compare-bar" }, h(Differences, null), h(PartSwitch, null), h(TextSwitch, null)),
      h(
        "div",
        { class: "sides" },
        h(Side, { key: "left", both, side: "left", shows }),
        h(Splitter, {
          key: "sides",
          split: "sides",
          isUpright: true,
          controls: "left-run",
          around: ".compare",
        }),
        h(Side, { key: "right", both, side: "right", shows }),
      ),
      h(Notice, null),
    ),
    h(PairTimeline, { both }),
  ];
}

/**
 * The shares of the panes for both sides, as CSS variables. If the visitor did not choose a share for the
 * graphs, both graphs get the share that leaves the memory pictures uncut.
 * @param {ComparedRuns} both
 */
function sharesOfBoth(both) {
  const { sides, upper, listing, compared } = shares;
  return {
    "--sides": sides.value ?? undefined,
    "--upper": upper.value ?? undefined,
    "--listing": listing.value ?? undefined,
    "--compared": compared.value ?? Math.min(...SIDES.map((side) => both[side].layouts.share.value)),
  };
}

/** The buttons that choose which part of both runs is shown. */
function PartSwitch() {
  if (choices.value.length === 0) return null;
  return h(
    "div",
    { class: "switch parts", role: "group", "aria-label": say("panes") },
    choices.value.map((part) =>
      toggleButton(part === shownPart(), () => (chosen.value = part), say(`tab-${part}`), { key: part }),
    ),
  );
}

/** The text about a step that screen readers announce; empty while the steps are played. */
export function spokenOfBoth() {
  const both = comparison.value?.both;
  if (both === undefined || isPlaying.value) return "";
  if (isAsking.value) return say("predict-title", { step: step.value + 2 });
  return [
    say("step", { step: step.value + 1 }),
    ...SIDES.map((side) => spokenOf(both, side)),
    spokenOfDifferences(),
  ]
    .join(". ")
    .replaceAll("..", ".");
}

/**
 * @param {ComparedRuns} both
 * @param {SideName} side
 */
function spokenOf(both, side) {
  const now = states.value?.[side] ?? null;
  const letter = LETTERS[side];
  if (now === null) return `${letter}: ${say("compare-not-begun")}`;
  if (both.steps[step.value]?.[side] === null)
    return `${letter}: ${say(now.is_last ? "compare-over" : "compare-waits", { line: now.stop.place })}`;
  const [first] = sentencesOf(both[side].index, now);
  return `${letter}, ${say("line", { line: now.stop.place })}: ${first === undefined ? "" : plain(tell(first))}`;
}
