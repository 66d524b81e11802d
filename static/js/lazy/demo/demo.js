/**
 * Owns the demonstration on the start page, which plays the first example in a loop and pauses while it is
 * not visible.
 */

import { h, useEffect, useRef, useState } from "../../../vendor/ui.js";
import { stopOfFinding } from "../../run/facts.js";
import { codeOf } from "../../run/places.js";
import { stateAt } from "../../run/state-at.js";
import { boot } from "../../io/boot.js";
import { iconButton } from "../../panes/buttons.js";
import { Icon } from "../../panes/icons.js";
import { Picture } from "../../panes/pictures/picture.js";
import { rich } from "../../panes/rich.js";
import { sentencesOf } from "../../panes/story/story.js";
import { replay } from "../../state/store.js";
import { say, tell, words } from "../../state/words.js";
import { load, placeOfFinding } from "./recording.js";

/** @import {State} from "../../run/types.d.ts" */
/** @import {Shown} from "./recording.js" */

/**
 * The time in ms for which each stop of the demonstration is shown, and for the last stop. The whole loop
 * takes about ten seconds.
 */
const PACE_MS = { stop: 1400, last: 3000 };

export function Demo() {
  const root = useRef(/** @type {HTMLElement | null} */ (null));
  const [shown, setShown] = useState(/** @type {Shown | null} */ (null));
  useEffect(() => {
    const [host, slug] = [root.current, boot.whole[0]?.slug];
    if (host === null || slug === undefined) return undefined;
    const controller = new AbortController();
    load(slug, host.clientWidth / 2, controller.signal).then(
      // If the visitor opened a run while this loaded, keep the poster: that run has set the page's
      // granularity.
      (loaded) => controller.signal.aborted || replay.peek() !== null || setShown(loaded),
      () => undefined, // the poster stays, and the page works without the demonstration
    );
    return () => controller.abort();
  }, []);
  return h(
    "figure",
    { class: "demo", ref: root, "aria-label": say("demo") },
    shown === null ? null : h(Playing, { shown }),
  );
}

/** @param {{shown: Shown}} props */
function Playing({ shown }) {
  const { index, stops } = shown;
  const last = stops.length - 1;
  // Begin at the stop of the poster, which the demonstration replaces.
  const [place, setPlace] = useState(placeOfFinding(shown));
  const [isPlaying, setPlaying] = useState(true);
  const root = useRef(/** @type {HTMLElement | null} */ (null));
  const isInSight = useSight(root);
  useEffect(() => {
    if (!isPlaying || !isInSight) return undefined;
    const next = () => setPlace(place === last ? 0 : place + 1);
    const timer = setTimeout(next, place === last ? PACE_MS.last : PACE_MS.stop);
    return () => clearTimeout(timer);
  }, [place, isPlaying, isInSight]);
  const now = stateAt(index, stops[place] ?? 0);
  return [
    h(Caption, { key: "caption", shown, now }),
    h(
      "div",
      { class: "demo-pictures", ref: root, key: "pictures", "aria-hidden": "true", inert: true },
      h(Pictured, { name: "graph", shown, now }),
      h(Pictured, { name: "memory", shown, now }),
    ),
    iconButton(isPlaying ? "pause" : "play", say(isPlaying ? "pause" : "play"), {
      key: "pause",
      class: "button icon-only demo-pause",
      onClick: () => setPlaying(!isPlaying),
    }),
  ];
}

/**
 * The caption of a stop: the line that ran and the first sentence about it, or the title of a finding that
 * begins at this stop.
 * @param {{shown: Shown, now: State}} props
 */
function Caption({ shown: { index }, now }) {
  const found = index.findings.find((finding) => stopOfFinding(index, finding) === now.k);
  const [first] = sentencesOf(index, now);
  return h(
    "figcaption",
    { class: "demo-caption" },
    h(
      "p",
      null,
      h("span", { class: "demo-line" }, say("line", { line: now.stop.place })),
      " ",
      h("code", null, codeOf(index, now.stop)),
    ),
    found === undefined
      ? h("p", { class: "demo-words" }, first === undefined ? null : rich(tell(first)))
      : h(
          "p",
          { class: "demo-words warned" },
          h(Icon, { name: "warning", size: 16 }),
          h("span", null, rich(say(`finding-${found.kind}-title`, found.arguments ?? {}))),
        ),
  );
}

/** @param {{name: "graph" | "memory", shown: Shown, now: State}} props */
function Pictured({ name, shown: { index, graph, memory }, now }) {
  const common = { index, now, say: words.value, larger: 1, text: 1, isShown: true, label: "start-title" };
  return h(
    "div",
    { class: `picture-pane ${name}-pane demo-picture` },
    name === "graph"
      ? h(Picture, { ...common, name, layout: graph, zoomed: ({ whole }) => whole })
      : h(Picture, { ...common, name, layout: memory, chosen: null }),
  );
}

/**
 * Whether an element is visible on the screen.
 * @param {{current: HTMLElement | null}} root
 */
function useSight(root) {
  const [isInSight, setInSight] = useState(false);
  useEffect(() => {
    if (root.current === null) return undefined;
    const observer = new IntersectionObserver((entries) =>
      setInSight(entries.at(-1)?.isIntersecting === true),
    );
    observer.observe(root.current);
    return () => observer.disconnect();
  }, []);
  return isInSight;
}
