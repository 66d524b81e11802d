/** Owns the two pictures of a single run, each in its pane, and the stale lines between them. */

import { h, useRef, useState } from "../../../vendor/ui.js";
import { whyNoNode } from "../../run/naming/no-nodes.js";
import { correctedGradientsOf } from "../../session/follow-ups.js";
import { selected } from "../../state/selection.js";
import { foundBoxes, cursorBox } from "../../state/graph-cursor.js";
import { asText, isPresenting, scale, textScale } from "../../state/preferences.js";
import { isDividing, shares } from "../../state/room.js";
import { played, replay, state } from "../../state/store.js";
import { existingNames, pins } from "../../state/pins.js";
import { toggleStorages } from "../../state/folds.js";
import { words } from "../../state/words.js";
import { AboutSelection, SelectionBar, chooseByKey, chooseByPointer } from "./selection-bar.js";
import { foldByPointer, FoldButtons, StorageFoldButtons } from "./fold-buttons.js";
import { Begins } from "./begins.js";
import { useStaleLines } from "./stale-lines-layer.js";
import { graphByKey, graphByPointer, NodeAtCursor, SearchBar, SearchButton } from "./graph-search.js";
import { why } from "../story/why.js";
import { MaximiseButton, onlyPane } from "../maximise.js";
import { TextView, TextSwitch } from "../story/text-view.js";
import { Picture } from "./picture.js";
import { plain } from "../rich.js";
import { Splitter } from "../splitter.js";
import { isPaneShown } from "../tabs.js";
import { PinList } from "./pin-buttons.js";
import { ZoomButtons, zoomBy, zoomed } from "./graph-zoom.js";

/** @import {Played} from "../../state/store.js" */
/** @import {State} from "../../run/types.d.ts" */
/** @import {Say} from "../../run/types.d.ts" */

/** The panes of both pictures, and the lines from stale saved tensors to their storages, which cross both. */
export function Pictures() {
  const root = useRef(/** @type {HTMLDivElement | null} */ (null));
  const links = useRef(/** @type {SVGSVGElement | null} */ (null));
  const now = state.value;
  const say = words.value;
  const run = played.value;
  useStaleLines(root, links, run, now);
  if (!run || !now) return null;
  const drawn = drawnOf(run);
  const isStacked = areStacked();
  const split = isStacked ? "stacked" : "pictures";
  const looks = {
    "as-text": asText.value,
    "without-graph": !drawn.graph,
    "without-memory": !drawn.memory,
    stacked: isStacked,
  };
  const shown = Object.entries(looks).flatMap(([look, isSo]) => (isSo ? [look] : []));
  return h(
    "div",
    {
      class: ["stage", ...shown].join(" "),
      id: "pictures",
      ref: root,
      style: { [`--${split}`]: shares[split].value ?? replay.value?.alone?.layouts.share.value },
    },
    h(GraphPane, { run, now, say }),
    drawn.graph && drawn.memory ? h(Splitter, { split, isUpright: !isStacked, controls: "graph" }) : null,
    h(MemoryPane, { run, now, say }),
    h("svg", { class: "links", ref: links, "aria-hidden": "true" }),
  );
}

/**
 * The pictures that show anything in a run. A picture that is always empty leaves its space to the other
 * picture.
 * @param {Played} run
 */
export function drawnOf({ index, graph, memory }) {
  return {
    graph: graph.boxes.length > 0 || graph.isOverview,
    memory: memory.rows.length > 0 || existingNames(index, pins.value.hidden).length > 0,
  };
}

/** Whether the pictures are stacked, because they do not fit side by side. */
function areStacked() {
  return replay.value?.alone?.layouts.arrangement.value.isStacked ?? false;
}

/** @param {"graph" | "memory"} name */
function isSeen(name) {
  return isPaneShown(name) && (onlyPane() ?? name) === name;
}

/** @typedef {{run: Played, now: State, say: Say}} PaneProps */

/** @param {PaneProps} props */
function GraphPane({ run, now, say }) {
  const [fit, setFit] = useState({ fitting: 1, whole: 1 });
  const { boxes, isOverview } = run.graph;
  const empty =
    boxes.length > 0
      ? ""
      : isOverview
        ? say("graph-undrawn")
        : plain(say("graph-empty", whyNoNode(run.index)));
  const isShown = !asText.value && isSeen("graph");
  return h(
    "section",
    { class: "pane picture-pane graph-pane", id: "graph", "aria-labelledby": "graph-title" },
    h(
      "div",
      { class: "pane-head" },
      h(
        "h2",
        { id: "graph-title" },
        h("span", { class: "long" }, say("graph")),
        h("span", { class: "short", "aria-hidden": "true" }, say("tab-graph")),
      ),
      h("span", { class: "hint" }, say("graph-hint")),
      h("span", { class: "spring" }),
      empty === "" && isShown
        ? [
            h(SearchButton, { key: "search" }),
            h(FoldButtons, { key: "folds", graph: run.graph }),
            h(ZoomButtons, { key: "zoom", fit }),
          ]
        : null,
      h(MaximiseButton, { pane: "graph" }),
    ),
    empty === "" && isOverview ? h("p", { class: "overview-note" }, say("graph-overview")) : null,
    empty === ""
      ? h(Picture, {
          ...common(run, now, say),
          name: "graph",
          label: "graph-title",
          layout: run.graph,
          isShown,
          zoomed,
          zoomBy,
          onFit: setFit,
          cursor: cursorBox.value,
          hits: foundBoxes.value,
          over: why.value?.over(run, now).graph,
          onKeyDown: graphByKey,
          onClick: graphByPointer,
        })
      : h(Nothing, { name: "graph", empty }),
    empty === "" && isShown
      ? [
          h(Begins, { key: "begins", name: "graph", run, now, say }),
          h(SearchBar, { key: "search" }),
          h(NodeAtCursor, { key: "cursor", run, now }),
        ]
      : null,
    h(TextView, { name: "graph", label: "graph-title", empty, run, now }),
  );
}

/** @param {PaneProps} props */
function MemoryPane({ run, now, say }) {
  const isAllHidden = existingNames(run.index, pins.value.hidden).length > 0;
  const empty = run.memory.rows.length > 0 ? "" : say(isAllHidden ? "memory-all-hidden" : "memory-empty");
  const isShown = !asText.value && isSeen("memory");
  const hasGraph = drawnOf(run).graph && onlyPane() !== "memory";
  const isSearched = isShown && empty === "" && !hasGraph; // otherwise the pane of the graph has the search
  return h(
    "section",
    { class: "pane picture-pane memory-pane", "aria-labelledby": "memory-title" },
    h(
      "div",
      { class: "pane-head" },
      h("h2", { id: "memory-title" }, say("memory")),
      h("span", { class: "hint" }, say("memory-hint")),
      h("span", { class: "spring" }),
      h(SelectionBar, null),
      isSearched ? h(SearchButton, null) : null,
      isShown ? h(StorageFoldButtons, { memory: run.memory }) : null,
      h(PinList, null),
      h(TextSwitch, null),
      h(MaximiseButton, { pane: "memory" }),
    ),
    empty === ""
      ? h(Picture, {
          ...common(run, now, say),
          name: "memory",
          label: "memory-title",
          layout: run.memory,
          isShown,
          chosen: selected.value,
          over: why.value?.over(run, now).memory,
          onKeyDown: chooseByKey,
          onClick: storagesByPointer,
        })
      : h(Nothing, { name: "memory", empty }),
    isShown && empty === "" && !isAllHidden ? h(Begins, { name: "memory", run, now, say }) : null,
    isSearched ? h(SearchBar, null) : null,
    h(TextView, { name: "memory", label: "memory-title", empty, run, now }),
    h(AboutSelection, null),
  );
}

/** @param {MouseEvent} event */
function storagesByPointer(event) {
  foldByPointer(event, toggleStorages);
  chooseByPointer(event);
}

/**
 * @param {Played} run
 * @param {State} now
 * @param {Say} say
 */
function common(run, now, say) {
  const [larger, text] = [scale.value, textScale.value];
  const [isPresented, isShort] = [isPresenting.value, areStacked()];
  const marks = correctedGradientsOf(run.index); // drawn when they arrive
  return {
    ...{ index: run.index, now, say, larger, text, isPresented, isShort, isHeld: isDividing.value },
    ...{ marks, chain: why.value?.chain },
  };
}

/**
 * The text in place of a picture that is always empty.
 * @param {{name: string, empty: string}} props
 */
function Nothing({ name, empty }) {
  return h(
    "div",
    { class: "picture", tabIndex: 0, role: "group", "aria-labelledby": `${name}-title` },
    h("p", { class: "empty", "aria-hidden": "true" }, empty),
  );
}
