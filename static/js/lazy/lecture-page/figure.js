/**
 * Owns the figure in a lecture's part: the code and pictures of a recording at a step. The figure is static
 * until a visitor presses it. Afterwards the visitor can step through the recording.
 */

import { Slider } from "../../panes/timeline/slider.js";
import { h, useEffect, useLayoutEffect, useRef, useState } from "../../../vendor/ui.js";
import { button, iconButton } from "../../panes/buttons.js";
import { stateAt } from "../../run/state-at.js";
import { relatedTo } from "../../run/related.js";
import { withGranularity } from "../../run/stops/granularity.js";
import { scaleOf } from "../../layout/measures.js";
import { rowsAt } from "../../layout/memory-rows.js";
import { isFile } from "../../io/medium.js";
import { Listing } from "../../panes/code/code-lines.js";
import { foldByPointer } from "../../panes/pictures/fold-buttons.js";
import { CANDIDATES, isRelated } from "../../panes/pictures/highlight.js";
import { Icon } from "../../panes/icons.js";
import { Picture } from "../../panes/pictures/picture.js";
import { StepStory } from "../../panes/story/story.js";
import { TextView } from "../../panes/story/text-view.js";
import { correctedGradientsOf } from "../../session/follow-ups.js";
import { say, words } from "../../state/words.js";
import { Answer, useAnswer } from "./answer.js";
import { addressOf, placeOf } from "./parts.js";

/** @import {LecturePart} from "../../io/lectures.js" */
/** @import {Box, GraphBox, GraphLayout, Index, MemoryLayout, State} from "../../run/types.d.ts" */
/** @import {Answered} from "./answer.js" */
/** @import {Ready} from "./recordings.js" */

/** The maximum height of a picture in px. */
const MOST_HEIGHT = 460;

/**
 * @param {{
 *   part: LecturePart,
 *   number: number,
 *   ready: Ready,
 *   isLive: boolean,
 *   setLive: (isLive: boolean) => void,
 * }} props
 */
export function Figure({ part, number, ready, isLive, setLive }) {
  const { k: first, by } = placeOf(part.at);
  const index = withGranularity(ready.index, by);
  const last = Math.max(0, index.stops.length - 1);
  const [k, setK] = useState(Math.min(first, last));
  const root = useRef(/** @type {HTMLElement | null} */ (null));
  const go = (/** @type {number} */ to) => setK(Math.min(last, Math.max(0, to)));
  const now = index.stops.length === 0 ? null : stateAt(index, k);
  useEffect(() => {
    if (isLive) /** @type {HTMLElement | null} */ (root.current?.querySelector(".lecture-next"))?.focus();
  }, [isLive]);
  useMarks(root, index, now, part, k === Math.min(first, last));
  const answer = useAnswer(index, part.view ?? "");
  const run = { index, graph: ready.layouts.graph.value, memory: ready.layouts.memory.value };
  return h(
    "figure",
    {
      class: `lecture-figure${isLive ? " live" : ""}`,
      ref: root,
      onKeyDown: isLive ? (/** @type {KeyboardEvent} */ event) => step(event, k, last, go) : undefined,
    },
    h(Listing, { index, now, label: say("lecture-picture", { picture: say("code"), number }) }),
    h(
      "div",
      { class: "lecture-pictures" },
      now === null ? null : pictures({ run, now, ready, number, isLive, answer }),
    ),
    answer === null ? null : h(Answer, { answer, k, ...(isLive ? { go } : {}) }),
    h(
      "figcaption",
      null,
      h(
        "div",
        { class: "lecture-bar" },
        isLive
          ? h(Steps, { k, last, go })
          : button(
              { class: "button primary", onClick: () => setLive(true) },
              h(Icon, { name: "play", size: 16 }),
              h("span", null, say("lecture-live")),
            ),
        h(
          "p",
          { class: "lecture-quiet" },
          say("lecture-at", { step: k + 1, count: last + 1, line: now?.stop.place ?? 0 }),
        ),
        isFile ? null : h("a", { href: addressOf(part) }, say("lecture-open")),
      ),
      isLive && now !== null
        ? h(
            "div",
            { class: "story lecture-story", "aria-live": "polite" },
            h(StepStory, { index, memory: run.memory, now, go, isBeside: true }),
          )
        : null,
    ),
  );
}

/** @typedef {{index: Index, graph: GraphLayout, memory: MemoryLayout}} Run */

/**
 * @typedef {{
 *   run: Run,
 *   now: State,
 *   ready: Ready,
 *   number: number,
 *   isLive: boolean,
 *   answer: Answered | null,
 * }} PicturesProps
 */

/** @param {PicturesProps} props */
function pictures({ run, now, ready, number, isLive, answer }) {
  const { index, graph, memory } = run;
  const hasGraph =
    graph.boxes.length > 0 &&
    (isLive || graph.boxes.some((/** @type {{node: number}} */ { node }) => now.nodes.has(node)));
  const hasMemory = memory.rows.length > 0;
  const of = (/** @type {"graph" | "memory"} */ name) =>
    h(Pictured, {
      key: name,
      name,
      run: { index, graph, memory },
      now,
      layouts: ready.layouts,
      number,
      isLive,
      answer,
    });
  return [hasGraph ? of("graph") : null, hasMemory ? of("memory") : null];
}

/**
 * @param {{
 *   name: "graph" | "memory",
 *   run: Run,
 *   now: State,
 *   layouts: Ready["layouts"],
 *   number: number,
 *   isLive: boolean,
 *   answer: Answered | null,
 * }} props
 */
function Pictured({ name, run, now, layouts, number, isLive, answer }) {
  const label = `${name}-of-${number}`;
  const layout = run[name];
  const host = useRef(/** @type {HTMLElement | null} */ (null));
  const height = useHeight(host, name, layout, isLive ? layout.height : reached(run, name, now));
  const over = answer?.why.over(run, now);
  const common = {
    ...{ index: run.index, now, say: words.value, larger: 1, text: 1, label, isShown: true },
    marks: correctedGradientsOf(run.index), // drawn when they arrive
    chain: answer?.why.chain,
  };
  return h(
    "section",
    { class: `picture-pane ${name}-pane lecture-picture`, "aria-labelledby": label, ref: host },
    h("h2", { class: "visually-hidden", id: label }, say("lecture-picture", { picture: say(name), number })),
    h(
      "div",
      { class: "lecture-pane", style: { height: `${height}px` } },
      name === "graph"
        ? h(Picture, {
            ...common,
            name,
            layout: run.graph,
            zoomed: ({ fitting }) => fitting,
            over: over?.graph,
            onClick: (event) => foldByPointer(event, (key) => layouts.toggleFold(key)),
          })
        : h(Picture, {
            ...common,
            name,
            layout: run.memory,
            chosen: null,
            over: over?.memory,
            onClick: (event) => foldByPointer(event, (key) => layouts.toggleStorages(key)),
          }),
    ),
    h(TextView, { name, label, empty: "", run, now }),
  );
}

/**
 * The height in px for a picture's pane: the height of the picture when scaled to the pane's width, up to a
 * limit.
 * @param {{current: HTMLElement | null}} host
 * @param {"graph" | "memory"} name
 * @param {{width: number, height: number}} layout
 * @param {number} down the height of the drawn part, in picture units
 */
function useHeight(host, name, layout, down) {
  const [height, setHeight] = useState(MOST_HEIGHT);
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const measure = () => {
      if (element.clientWidth === 0) return;
      const fits = { across: (element.clientWidth - 4) / layout.width, down: MOST_HEIGHT / layout.height };
      const scale = scaleOf(name, fits, { width: innerWidth, larger: 1 });
      const isWider = layout.width * scale > element.clientWidth;
      setHeight(Math.min(MOST_HEIGHT, Math.ceil(down * scale) + 6 + (isWider ? 14 : 0)));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [layout, down]);
  return height;
}

/** The space below the lowest box or row of a picture, in picture units. */
const BELOW = { graph: 34, memory: 10 };

/**
 * The y coordinate, in picture units, below which a picture is empty at a step.
 * @param {Run} run
 * @param {"graph" | "memory"} name
 * @param {State} now
 */
function reached({ graph, memory }, name, now) {
  const there =
    name === "memory"
      ? rowsAt(memory, now)
      : graph.boxes.filter((/** @type {GraphBox} */ { node }) => now.nodes.has(node));
  const ends = there.map((/** @type {Box} */ { y, height }) => y + height);
  return Math.min((name === "memory" ? memory : graph).height, Math.max(0, ...ends) + BELOW[name]);
}

/** @param {{k: number, last: number, go: (k: number) => void}} props */
function Steps({ k, last, go }) {
  const button = (
    /** @type {"first" | "previous" | "next" | "last"} */ name,
    /** @type {number} */ to,
    isOver = false,
  ) =>
    iconButton(name, say(name), {
      class: `button icon-only lecture-${name}`,
      "aria-disabled": isOver,
      onClick: () => go(to),
    });
  return h(
    "div",
    { class: "lecture-steps" },
    button("first", 0, k === 0),
    button("previous", k - 1, k === 0),
    button("next", k + 1, k === last),
    button("last", last, k === last),
    h(Slider, { to: last, k, go }),
  );
}

/**
 * Handles the arrow keys, Home and End in a figure that the visitor pressed: they change the step. In the
 * slider they do so already, so its keys are ignored.
 * @param {KeyboardEvent} event
 * @param {number} k
 * @param {number} last
 * @param {(k: number) => void} go
 */
function step(event, k, last, go) {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target instanceof HTMLInputElement) return;
  const to = { ArrowRight: k + 1, ArrowLeft: k - 1, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  go(to);
}

/**
 * Highlights the item that the teacher pointed at, while the figure shows the step of the part.
 * @param {{current: HTMLElement | null}} root
 * @param {Index} index
 * @param {State | null} now
 * @param {LecturePart} part
 * @param {boolean} isAtStep
 */
function useMarks(root, index, now, { marked }, isAtStep) {
  useEffect(() => {
    const host = root.current;
    if (host === null || now === null || marked === undefined) return undefined;
    const found = relatedTo(index, now, marked);
    const mark = () => {
      for (const element of host.querySelectorAll(CANDIDATES)) {
        const isMarked = isAtStep && isRelated(/** @type {HTMLElement} */ (element), found);
        element.classList.toggle("highlighted", isMarked);
      }
      host.querySelectorAll(".embed-code li").forEach((line, place) => {
        line.classList.toggle("marked", isAtStep && marked.kind === "line" && found.lines.has(place + 1));
      });
    };
    mark();
    const observer = new MutationObserver(mark); // also marks elements that are drawn later
    observer.observe(host, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [index, now, marked, isAtStep]);
}
