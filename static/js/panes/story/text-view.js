/** Owns the text view, which replaces a picture, or is visually hidden next to it for screen readers. */

import { h, signal, useEffect, useMemo, useState } from "../../../vendor/ui.js";
import { button } from "../buttons.js";
import { bytes } from "../../run/values/format.js";
import { memoryUsageOf, peakOf } from "../../run/memory-usage.js";
import { lastVisibleStop } from "../../state/prediction.js";
import { asText, turn } from "../../state/preferences.js";
import { isPlaying } from "../../state/store.js";
import { say, tell, words } from "../../state/words.js";
import { loadChunk } from "../chunks.js";
import { rich } from "../rich.js";
import { VariablesInWords } from "./variables.js";

/** @import {Item, TextViewChunk} from "../chunks.js" */
/** @import {Played} from "../../state/store.js" */
/** @import {Index, State} from "../../run/types.d.ts" */

/**
 * The chunk that creates the text of the text view; null until it is loaded, after the first picture.
 * @type {import("../../../vendor/ui.js").Signal<TextViewChunk | null>}
 */
export const outline = signal(null);

/** The hidden text is updated after a step was shown for this time in ms. */
const SETTLED_MS = 150;

/**
 * @param {{
 *   name: "graph" | "memory",
 *   label: string,
 *   empty: string,
 *   run: Pick<Played, "index" | "graph" | "memory">,
 *   now: State,
 * }} props `label`: id of the element that labels the view
 */
export function TextView({ name, label, empty, run, now }) {
  const isSeen = asText.value;
  const settled = useSettled({ run, now }, isSeen);
  const textView = outline.value;
  useEffect(() => {
    void loadChunk("textView").then((loaded) => {
      outline.value = loaded;
    });
  }, []);
  const [isWhole, showAll] = useState(false);
  const list = useMemo(() => {
    const { index, graph, memory } = settled.run;
    if (textView === null) return null;
    const { items, others, areStill } =
      name === "graph"
        ? textView.graphOutline(index, graph, settled.now, isSeen && isWhole)
        : textView.memoryOutline(index, memory, settled.now, isSeen && isWhole);
    const extras =
      name === "memory"
        ? [
            h(MemoryUsageInWords, { index, k: settled.now.k, key: "usage" }),
            h(VariablesInWords, { index, now: settled.now, key: "variables" }),
          ]
        : null;
    if (items.length + others === 0) return [extras, h("p", { class: "empty", key: "empty" }, empty)];
    return [
      extras,
      h(List, { items, key: "list" }),
      others === 0
        ? null
        : h(Others, { count: others, areStill, tellAll: isSeen ? () => showAll(true) : null, key: "others" }),
    ];
  }, [textView, settled.run, settled.now, words.value, isSeen, isWhole]);
  return h(
    "div",
    isSeen
      ? { class: "outline", tabIndex: 0, role: "group", "aria-labelledby": label }
      : { class: "outline visually-hidden" },
    list,
  );
}

/**
 * A line with the number of omitted items, and a button that lists all items.
 * @param {{count: number, areStill: boolean, tellAll: (() => void) | null}} props
 */
function Others({ count, areStill, tellAll }) {
  return h(
    "p",
    { class: "others" },
    say(areStill ? "text-others" : "text-more", { count }),
    tellAll === null ? null : button({ onClick: tellAll }, say("text-tell-all")),
  );
}

/**
 * The memory usage in words.
 * @param {{index: Index, k: number}} props
 */
function MemoryUsageInWords({ index, k }) {
  const { bytes: all, count } = memoryUsageOf(index);
  const { k: highest, most } = peakOf(index, lastVisibleStop.value);
  return h(
    "p",
    { class: "usage-words" },
    say("living-text", {
      bytes: bytes(all[k] ?? 0),
      count: count[k] ?? 0,
      most: bytes(most),
      step: highest + 1,
    }),
  );
}

/**
 * The latest value if the text is visible. Otherwise the value is updated with a delay, so that dragging the
 * slider does not wait for the hidden text.
 * @template {{now: unknown, run: {graph: unknown, memory: unknown}}} T
 * @param {T} latest
 * @param {boolean} isSeen
 * @returns {T}
 */
function useSettled(latest, isSeen) {
  const [settled, settle] = useState(latest);
  useEffect(() => {
    if (isPlaying.value) return undefined;
    const timer = setTimeout(() => settle(latest), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [latest.now, latest.run.graph, latest.run.memory, isSeen, isPlaying.value]);
  return isSeen ? latest : settled;
}

/** @param {{items: Item[]}} props */
export function List({ items }) {
  return h(
    "ul",
    null,
    items.map(({ key, isFresh, parts, children }) =>
      h(
        "li",
        { key, class: isFresh ? "fresh" : undefined },
        rich(parts.map(tell).join(" ")),
        children.length === 0 ? null : h(List, { items: children }),
      ),
    ),
  );
}

/** The switch between pictures and text. */
export function TextSwitch() {
  const look = {
    class: "button text-switch",
    type: "button",
    title: say("as-text"),
    "aria-pressed": asText.value ? "true" : "false",
  };
  return h("button", { ...look, onClick: () => turn(asText) }, say("as-text-word"));
}
