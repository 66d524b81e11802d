/**
 * Owns the timeline of a comparison. The timeline has a rail for each run, bands where the runs differ, and
 * the slider. A rail has marks at the steps in which its run advances.
 */

import { Slider, StepWords, useWidth } from "../../panes/timeline/slider.js";
import { h, useMemo, useRef } from "../../../vendor/ui.js";
import { differing } from "./comparing.js";
import { passedBefore } from "../../run/stops/constructions.js";
import { stopIndexOf, weightiest } from "../../run/stops/stop-index.js";
import { monoWidth } from "../../run/values/text-width.js";
import { lastVisibleStop } from "../../state/prediction.js";
import { isPredicting } from "../../state/preferences.js";
import { goTo, step } from "../../state/store.js";
import { constructionsOfBoth, SIDES } from "./comparison.js";
import { say } from "../../state/words.js";
import { PresentingButtons } from "../../panes/presenting.js";
import { Playback } from "../../panes/timeline/playback.js";
import { LETTERS } from "./side.js";
import { shapeOf } from "../../panes/timeline/track.js";

/** @import {SideName} from "./comparison.js" */
/** @import {Mark} from "../../run/stops/stop-index.js" */
/** @import {ComparedRuns} from "./comparison-replay.js" */

const EDGE = { left: 34, right: 18 };
const RAIL = { left: 17, right: 53 };
const HEIGHT = 70;

/**
 * Distances in px. Each step has its own mark if it has at least `single` px of space. Otherwise a mark
 * stands for several steps, and marks are at least `many` px apart. `number`: the gap between line numbers.
 */
const APART = { single: 13, many: 11, number: 8 };

/** @param {{both: ComparedRuns}} props */
export function PairTimeline({ both }) {
  const m = step.value;
  const passed = passedBefore(constructionsOfBoth(both), m);
  return h(
    "footer",
    { class: "pane timeline pair", "aria-label": say("timeline") },
    h(Playback, null),
    h(Track, { both, m }),
    h(
      "div",
      { class: "position" },
      h(StepWords, { k: m, passed, count: both.steps.length }),
      h(
        "p",
        { class: "position-line" },
        SIDES.map((side) => `${LETTERS[side]} ${lineWords(both, side, m)}`).join(" · "),
      ),
      h(Sizer, { both }),
    ),
    h(PresentingButtons, null),
  );
}

/**
 * @param {ComparedRuns} both
 * @param {SideName} side
 * @param {number} m
 */
function lineWords(both, side, m) {
  const stop = both[side].index.stops[both.reached[side][m] ?? -1];
  return stop === undefined ? "–" : say("line", { line: stop.place });
}

/**
 * Invisible text that is as wide as the widest text for a position, so that a step does not move the layout.
 * @param {{both: ComparedRuns}} props
 */
function Sizer({ both }) {
  const count = both.steps.length;
  const lines = SIDES.map(
    (side) => `${LETTERS[side]} ${say("line", { line: both[side].index.source.split("\n").length })}`,
  ).join(" · ");
  return h(
    "span",
    {
      class: "sizer",
      "aria-hidden": "true",
      "data-step":
        constructionsOfBoth(both).all.length > 0
          ? say("steps", { from: count, step: count })
          : say("step", { step: count }),
      "data-line": lines,
    },
    ` ${say("step-of", { count })}`,
  );
}

/** @param {{both: ComparedRuns, m: number}} props */
function Track({ both, m }) {
  const host = useRef(/** @type {HTMLDivElement | null} */ (null));
  const width = useWidth(host, EDGE.left + EDGE.right);
  const last = Math.max(1, both.steps.length - 1);
  const gap = (width - EDGE.left - EDGE.right) / last;
  const x = (/** @type {number} */ at) => EDGE.left + at * gap;
  const each = gap < APART.single ? Math.max(2, Math.ceil(APART.many / gap)) : 1;
  const lastVisible = Math.min(lastVisibleStop.value, both.steps.length - 1);
  const marked = useMemo(
    () => ({
      left: marksOf(both, "left", each, lastVisible),
      right: marksOf(both, "right", each, lastVisible),
    }),
    [both, each, lastVisible],
  );
  const words = [
    say("step", { step: m + 1 }),
    say("step-of", { count: both.steps.length }),
    ...SIDES.map((side) => `${LETTERS[side]} ${lineWords(both, side, m)}`),
  ].join(", ");
  return h(
    "div",
    { class: "track", ref: host },
    h(
      "svg",
      { width, height: HEIGHT, class: "marks", "aria-hidden": "true" },
      isPredicting.value ? null : bands(x, gap),
      h("rect", { class: "pair-here", x: x(m) - 12, y: 1, width: 24, height: HEIGHT - 2, rx: 9 }),
      SIDES.map((side) =>
        h(
          "g",
          { key: side },
          h("text", { class: "rail-letter", x: 10, y: RAIL[side] + 5 }, LETTERS[side]),
          h("path", { class: "rail", d: `M${x(0)},${RAIL[side]} H${x(last)}` }),
          h("path", { class: "rail done", d: `M${x(0)},${RAIL[side]} H${x(m)}` }),
          marked[side].map(({ at, mark }) => markShape(mark, at, m, x, each, side)),
          currentMark(both, side, m, x, lastVisible),
        ),
      ),
      numbers(both, m, x, gap, each),
    ),
    h(Slider, { to: both.steps.length - 1, k: m, words, go: goTo, look: "slider" }),
  );
}

/**
 * The bands on the timeline over the steps at which the two runs differ.
 * @param {(m: number) => number} x
 * @param {number} gap
 */
function bands(x, gap) {
  /** @type {[number, number][]} */
  const found = [];
  for (const m of differing.value) {
    const before = found.at(-1);
    if (before?.[1] === m - 1) before[1] = m;
    else found.push([m, m]);
  }
  const half = Math.min(gap / 2, 16);
  return found.map(([from, to]) =>
    h("rect", {
      class: "differing",
      key: from,
      x: x(from) - half,
      y: RAIL.left + 9,
      width: x(to) - x(from) + 2 * half,
      height: RAIL.right - RAIL.left - 18,
      rx: 6,
    }),
  );
}

/**
 * The marks on the rail of one run. Steps after `lastVisible` have a plain mark, because a question is open
 * about them.
 * @param {ComparedRuns} both
 * @param {SideName} side
 * @param {number} each the number of steps per mark
 * @param {number} lastVisible
 * @returns {{at: number, mark: Mark}[]}
 */
function marksOf(both, side, each, lastVisible) {
  const reached = both.reached[side];
  const { marked } = stopIndexOf(both[side].index);
  const shown = [];
  for (let at = 0; at < reached.length; at += each) {
    const [from, end] = [
      (reached[at - 1] ?? -1) + 1,
      (reached[Math.min(at + each, reached.length) - 1] ?? -1) + 1,
    ];
    if (from < end)
      shown.push({
        at,
        mark:
          weightiest(marked, from, Math.min(end, (reached[lastVisible] ?? -1) + 1))?.mark ??
          /** @type {const} */ ("statement"),
      });
  }
  return shown;
}

/**
 * @param {Mark} mark
 * @param {number} at
 * @param {number} m
 * @param {(m: number) => number} x
 * @param {number} each
 * @param {SideName} side
 */
function markShape(mark, at, m, x, each, side) {
  const isPlain = each > 1 && (mark === "statement" || mark === "operator");
  const across = x(at) + (each > 1 ? ((x(1) - x(0)) * each) / 2 : 0);
  const d = isPlain
    ? `M${across},${RAIL[side] - 4} v8`
    : shapeOf(mark, across, each > 1 ? 4.5 : 6.5, RAIL[side]);
  return h("path", { class: `mark ${mark}${isPlain ? " tick" : ""}${at < m ? " done" : ""}`, key: at, d });
}

/**
 * The mark of the current step on the rail of one run.
 * @param {ComparedRuns} both
 * @param {SideName} side
 * @param {number} m
 * @param {(m: number) => number} x
 * @param {number} lastVisible
 */
function currentMark(both, side, m, x, lastVisible) {
  const mark = both[side].index.stops[(m <= lastVisible ? both.steps[m]?.[side] : null) ?? -1]?.mark;
  return mark === undefined
    ? null
    : h("path", { class: `mark ${mark} now`, key: "now", d: shapeOf(mark, x(m), 6.5, RAIL[side]) });
}

/**
 * The line numbers between the two rails, one number where both runs are at the same line. If a mark stands
 * for several steps, only the current step has a number.
 * @param {ComparedRuns} both
 * @param {number} m
 * @param {(m: number) => number} x
 * @param {number} gap
 * @param {number} each
 */
function numbers(both, m, x, gap, each) {
  const textOf = (/** @type {number} */ at) =>
    [...new Set(SIDES.flatMap((side) => both[side].index.stops[both.steps[at]?.[side] ?? -1]?.place ?? []))]
      .map((line) => `L${line}`)
      .join("|");
  const here = monoWidth(textOf(m), 12) / 2 + APART.number;
  const shown = [
    h("text", { class: "line-number now", x: x(m), y: HEIGHT / 2 + 4.5, key: "now" }, textOf(m)),
  ];
  let at = 0;
  while (each === 1 && at < both.steps.length) {
    const half = monoWidth(textOf(at), 12) / 2;
    if (Math.abs(at - m) * gap >= here + half)
      shown.push(h("text", { class: "line-number", x: x(at), y: HEIGHT / 2 + 4.5, key: at }, textOf(at)));
    at += Math.max(1, Math.ceil((2 * half + APART.number) / gap));
  }
  return shown;
}
