/** Owns one side of a comparison: its code, the story of its step, and its two pictures. */

import { h, useRef } from "../../../vendor/ui.js";
import { whyNoNode } from "../../run/naming/no-nodes.js";
import { differences, states } from "./comparing.js";
import { isAsking } from "../../state/prediction.js";
import { asText, scale } from "../../state/preferences.js";
import { graphDiffers, graphPlace, memoryDiffers, memoryPlace } from "./difference-marks.js";
import { isDividing } from "../../state/room.js";
import { goTo, step } from "../../state/store.js";
import { alignedStepOf } from "./comparison.js";
import { say, words } from "../../state/words.js";
import { foldByPointer } from "../../panes/pictures/fold-buttons.js";
import { Listing } from "./code-listing.js";
import { useStaleLines } from "../../panes/pictures/stale-lines-layer.js";
import { MaximiseButton } from "../../panes/maximise.js";
import { TextView } from "../../panes/story/text-view.js";
import { Picture } from "../../panes/pictures/picture.js";
import { Question } from "../../panes/story/question.js";
import { plain } from "../../panes/rich.js";
import { Splitter } from "../../panes/splitter.js";
import { End, StepStory } from "../../panes/story/story.js";
import { zoomBy, zoomByKey, zoomed } from "../../panes/pictures/graph-zoom.js";

/** @import {ComponentChildren} from "../../../vendor/ui.js" */
/** @import {SideName} from "./comparison.js" */
/** @import {ComparedRun, ComparedRuns} from "./comparison-replay.js" */
/** @import {Split} from "../../state/room.js" */
/** @import {Played} from "../../state/store.js" */
/** @import {MemoryLayout, State} from "../../run/types.d.ts" */

/** The letters that name the two sides. */
export const LETTERS = { left: "A", right: "B" };

/** @typedef {"code" | "story" | "graph" | "memory"} Part */

/**
 * @param {{both: ComparedRuns, side: SideName, shows: (part: Part) => boolean}} props `shows`: whether a part
 *   is shown
 */
export function Side({ both, side, shows }) {
  const { index, layouts } = both[side];
  const shown = { index, graph: layouts.graph.value, memory: layouts.memory.value };
  const now = states.value?.[side] ?? null;
  const waits = both.steps[step.value]?.[side] === null;
  const root = useRef(/** @type {HTMLDivElement | null} */ (null));
  const links = useRef(/** @type {SVGSVGElement | null} */ (null));
  useStaleLines(root, links, shown, now);
  const label = say("compare-code", { letter: LETTERS[side] });
  const contents = {
    code: () => h(Listing, { index, now, waits, others: both.lines[side], label }),
    story: () => h(Story, { both, side, now, waits }),
    graph: () => pictured("graph", side, shown, now, both),
    memory: () => pictured("memory", side, shown, now, both),
  };
  const rows = rowsOf(shows);
  return h(
    "div",
    {
      class: `side of-${side}${waits ? " waits" : ""}${asText.value ? " as-text" : ""}`,
      id: `${side}-run`,
      ref: root,
    },
    rows.map((row, number) => [
      number > 0 ? h(Divider, { key: "upper", side, split: "upper", controls: `${side}-half-0` }) : null,
      h(
        "div",
        { class: "half", id: `${side}-half-${number}`, key: row[0] },
        row.map((part, place) => [
          place > 0
            ? h(Divider, {
                key: "between",
                side,
                split: number > 0 ? "compared" : "listing",
                controls: `${side}-${row[0]}`,
              })
            : null,
          h(Part, { key: part, side, part }, contents[part]()),
        ]),
      ),
    ]),
    h("svg", { class: "links", ref: links, "aria-hidden": "true" }),
  );
}

/** @type {Part[][]} */
const ALL = [
  ["code", "story"],
  ["graph", "memory"],
];

/**
 * The panes of a side in rows: two rows of two panes if all are shown, otherwise one pane per row.
 * @param {(part: Part) => boolean} shows
 */
function rowsOf(shows) {
  const shown = ALL.flat().filter(shows);
  return shown.length === ALL.flat().length ? ALL : shown.map((part) => [part]);
}

/**
 * A splitter between two panes of one side. The corresponding splitter of the other side moves with it.
 * @param {{side: SideName, split: Split, controls: string}} props
 */
function Divider({ side, split, controls }) {
  const isUpright = split !== "upper";
  return h(Splitter, { split, isUpright, controls, around: ".compare", isTwin: side === "right" });
}

/**
 * A pane of one side. The title of the pane contains the letter of the side.
 * @param {{side: SideName, part: Part, children?: ComponentChildren}} props
 */
function Part({ side, part, children }) {
  const id = `${side}-${part}-title`;
  const title = say(part === "story" ? "compare-story" : part);
  return h(
    "section",
    {
      class: `pane ${part}-pane${part === "graph" || part === "memory" ? " picture-pane" : ""}`,
      id: `${side}-${part}`,
      "aria-labelledby": id,
    },
    h(
      "div",
      { class: "pane-head" },
      h("h2", { id }, h("span", { class: "letter" }, LETTERS[side]), " ", title),
      h("span", { class: "spring" }),
      h(MaximiseButton, { pane: part }),
    ),
    children,
  );
}

/** @param {{both: ComparedRuns, side: SideName, now: State | null, waits: boolean}} props */
function Story({ both, side, now, waits }) {
  const { index, layouts } = both[side];
  const asked = isAsking.value ? (both.steps[step.value + 1]?.[side] ?? null) : null;
  const body = {
    class: `pane-body story${asked === null ? "" : " asking"}`,
    tabIndex: 0,
    role: "group",
    "aria-labelledby": `${side}-story-title`,
  };
  if (asked !== null) return h("div", body, h(Question, { index, k: asked }));
  const go = (/** @type {number} */ k) => goTo(alignedStepOf(both, side, k));
  if (now === null) return h("div", body, h("p", { class: "waiting" }, say("compare-not-begun")));
  if (waits || isAsking.value)
    return h(
      "div",
      body,
      h(
        "p",
        { class: "waiting" },
        say(now.is_last ? "compare-over" : "compare-waits", { line: now.stop.place }),
      ),
      now.is_last ? h(End, { index }) : null,
    );
  return h("div", body, h(StepStory, { index, memory: layouts.memory.value, now, go, isBeside: true }));
}

/**
 * Opens or folds a group of storages in both runs.
 * @param {ComparedRuns} both
 * @param {string} key
 * @param {MemoryLayout} pressed
 */
function turnBoth({ left, right }, key, pressed) {
  for (const { layouts } of [left, right]) void layouts.toggleStorages(key, !pressed.open.has(key));
}

/**
 * @param {"graph" | "memory"} name
 * @param {SideName} side
 * @param {Played} shown
 * @param {State | null} now
 * @param {ComparedRuns} both
 */
function pictured(name, side, shown, now, both) {
  const { layouts } = both[side];
  const label = `${side}-${name}-title`;
  const isEmpty = name === "graph" ? shown.graph.boxes.length === 0 : shown.memory.rows.length === 0;
  const why = name === "graph" ? whyNoNode(shown.index) : undefined;
  const empty = isEmpty ? plain(say(`${name}-empty`, why)) : now === null ? say("compare-not-begun") : "";
  if (now === null || empty !== "")
    return h(
      "div",
      { class: "picture", tabIndex: 0, role: "group", "aria-labelledby": label },
      h("p", { class: "empty" }, empty),
    );
  const marked = differences.value?.marked[side] ?? {
    tensors: new Set(),
    storages: new Set(),
    saved: new Set(),
    nodes: new Set(),
    holders: new Set(),
  };
  const common = {
    index: shown.index,
    now,
    say: words.value,
    larger: scale.value,
    isHeld: isDividing.value,
    label,
    isShown: !asText.value,
    marks: differences.value,
  };
  return [
    name === "graph"
      ? h(Picture, {
          ...common,
          key: "picture",
          name: "graph",
          layout: shown.graph,
          zoomed,
          zoomBy,
          onKeyDown: zoomByKey,
          over: (view) => graphDiffers(shown.graph, now, marked, view),
          elsewhere: graphPlace(shown.graph, now, marked),
          onClick: (event) => foldByPointer(event, (key) => layouts.toggleFold(key)),
        })
      : h(Picture, {
          ...common,
          key: "picture",
          name: "memory",
          layout: shown.memory,
          chosen: null,
          over: (view) => memoryDiffers(shown.memory, now, marked, view),
          elsewhere: memoryPlace(shown.memory, now, marked),
          onClick: (event) => foldByPointer(event, (key) => turnBoth(both, key, shown.memory)),
        }),
    h(TextView, { key: "outline", name, label, empty, run: shown, now }),
  ];
}
