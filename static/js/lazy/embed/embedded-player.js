/** Owns the player in a frame of another page: code, one picture, story and step bar. */

import { Slider } from "../../panes/timeline/slider.js";
import { toggleButton } from "../../panes/buttons.js";
import { h, signal } from "../../../vendor/ui.js";
import { legible } from "../../run/legible.js";
import { whyNoNode } from "../../run/naming/no-nodes.js";
import { foldByPointer } from "../../panes/pictures/fold-buttons.js";
import { Begins } from "../../panes/pictures/begins.js";
import { zoomBy, zoomByKey, zoomed } from "../../panes/pictures/graph-zoom.js";
import { Logo } from "../../panes/icons.js";
import { Picture } from "../../panes/pictures/picture.js";
import { Transport } from "../../panes/timeline/playback.js";
import { usePlay } from "../../panes/timeline/playing.js";
import { plain } from "../../panes/rich.js";
import { End, sentencesOf, StepStory } from "../../panes/story/story.js";
import { TextView } from "../../panes/story/text-view.js";
import { hashOf } from "../../session/address.js";
import { scale, textScale } from "../../state/preferences.js";
import { goTo, granularity, heading, isPlaying, played, replay, state, step } from "../../state/store.js";
import { say, tell, words } from "../../state/words.js";
import { Listing } from "../../panes/code/code-lines.js";

/** @import {Played} from "../../state/store.js" */
/** @import {State} from "../../run/types.d.ts" */

/**
 * The reason why nothing is shown, as a sentence; null: there is no failure.
 * @type {import("../../../vendor/ui.js").Signal<string | null>}
 */
export const failure = signal(null);
/**
 * The picture that the reader chose. Null: none chosen, so the graph is shown if there is one, otherwise
 * memory.
 * @type {import("../../../vendor/ui.js").Signal<"graph" | "memory" | null>}
 */
export const chosen = signal(null);

export function Player() {
  usePlay();
  const run = played.value;
  return h(
    "div",
    { class: "embed" },
    h(Head, { run }),
    h("main", { class: "embed-main" }, contents(run)),
    run && state.value ? h(Steps, { now: state.value, count: run.index.stops.length }) : null,
    h("p", { class: "visually-hidden", role: "status" }, spoken()),
  );
}

/** @param {Played | null} run */
function contents(run) {
  if (failure.value !== null) return h("p", { class: "embed-failure", role: "alert" }, failure.value);
  if (run === null) return h("p", { class: "loading" }, "Stepgrad");
  const now = state.value;
  return [
    h(Listing, { key: "code", index: run.index, now }),
    now === null
      ? null
      : h(Pictured, { key: "picture", run, now, name: chosen.value ?? (hasGraph(run) ? "graph" : "memory") }),
    h(
      "section",
      { key: "story", class: "pane story embed-story", "aria-label": say("tab-story"), tabIndex: 0 },
      now === null
        ? h(End, { index: run.index })
        : h(StepStory, { index: run.index, memory: run.memory, now, go: goTo, isBeside: true }),
    ),
  ];
}

/** @param {{run: Played | null}} props */
function Head({ run }) {
  const { id = "", title = "", author = "" } = heading.value ?? {};
  const at = replay.value === null ? "" : hashOf(step.value, granularity.value, false);
  return h(
    "header",
    { class: "header embed-head" },
    h(Logo, null),
    h(
      "h1",
      { title: title === "" && author === "" ? undefined : say("shared-words") },
      title === "" ? say("embed-player") : legible(title),
      author === "" ? null : h("span", null, " ", say("shared-author", { author: legible(author) })),
    ),
    h("span", { class: "spring" }),
    run === null ? null : h(PictureSwitch, { run }),
    h("a", { class: "button", href: `/s/${id}${at}`, target: "_blank", rel: "noopener" }, say("embed-open")),
  );
}

/** @param {{run: Played}} props */
function PictureSwitch({ run }) {
  const shown = chosen.value ?? (hasGraph(run) ? "graph" : "memory");
  const button = (/** @type {"graph" | "memory"} */ name) =>
    toggleButton(shown === name, () => (chosen.value = name), say(`tab-${name}`));
  return h(
    "div",
    { class: "switch", role: "group", "aria-label": say("embed-picture") },
    button("graph"),
    button("memory"),
  );
}

/** @param {Played} run */
function hasGraph({ graph }) {
  return graph.boxes.length > 0 || graph.isOverview;
}

/** @param {{run: Played, now: State, name: "graph" | "memory"}} props */
function Pictured({ run, now, name }) {
  const { index, graph, memory } = run;
  const isEmpty = name === "graph" ? graph.boxes.length === 0 : memory.rows.length === 0;
  const why = name === "graph" && graph.isOverview ? "graph-undrawn" : `${name}-empty`;
  const empty = isEmpty ? plain(say(why, name === "graph" ? whyNoNode(index) : undefined)) : "";
  const common = {
    ...{ index, now, say: words.value, larger: scale.value, text: textScale.value },
    ...{ label: "picture-title", isShown: true },
  };
  const { layouts } = replay.value?.alone ?? {};
  return h(
    "section",
    { class: `pane picture-pane ${name}-pane embed-picture`, "aria-labelledby": "picture-title" },
    h("h2", { class: "visually-hidden", id: "picture-title" }, say(name)),
    isEmpty
      ? h("div", { class: "picture", key: "empty" }, h("p", { class: "empty", "aria-hidden": "true" }, empty))
      : name === "graph"
        ? h(Picture, {
            ...common,
            key: name,
            name,
            layout: graph,
            zoomed,
            zoomBy,
            onKeyDown: zoomByKey,
            onClick: (event) => foldByPointer(event, (key) => layouts?.toggleFold(key)),
          })
        : h(Picture, {
            ...common,
            key: name,
            name,
            layout: memory,
            chosen: null,
            onClick: (event) => foldByPointer(event, (key) => layouts?.toggleStorages(key)),
          }),
    isEmpty ? null : h(Begins, { key: `${name}-begins`, name, run, now, say: words.value }),
    h(TextView, { key: `${name}-text`, name, label: "picture-title", empty, run, now }),
  );
}

/** @param {{now: State, count: number}} props */
function Steps({ now, count }) {
  const position = `${say("step", { step: now.k + 1 })} ${say("step-of", { count })}`;
  return h(
    "footer",
    { class: "embed-steps", "aria-label": say("timeline") },
    h(Transport, null),
    h(Slider, { to: count - 1, k: now.k, words: position, go: goTo }),
    h("p", { class: "embed-position" }, position),
  );
}

/** The text about a step that screen readers announce; empty while the steps are played. */
function spoken() {
  const [run, now] = [played.value, state.value];
  if (run === null || now === null || isPlaying.value) return "";
  const sentences = sentencesOf(run.index, now).slice(0, 3);
  return [
    say("spoken-step", { step: now.k + 1, line: now.stop.place }),
    ...sentences.map((each) => plain(tell(each))),
  ].join(" ");
}
