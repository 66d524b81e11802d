/** Owns the timeline: the run as marks by kind, bands for forward and backward, and the slider over them. */

import { h, useLayoutEffect, useRef, useState } from "../../vendor/ui.js";
import { stopOfFinding } from "../facts.js";
import { changes } from "../choice.js";
import { isPredicting } from "../preferences.js";
import { knownAt } from "../predicting.js";
import { linesOf } from "../legible.js";
import { goTo, isOld, played, state, stepCount } from "../store.js";
import { say } from "../words.js";
import { bands } from "./bands.js";
import { LeavePresenting } from "./display.js";
import { Driving } from "./driving.js";
import { Icon } from "./icons.js";
import { plain } from "./rich.js";
import { PositionSizer, Round } from "./walking.js";

/** @import {Index, Stop} from "../types.d.ts" */

const EDGE = 18;
const TRACK = 37;

export function Timeline() {
  const now = state.value;
  const index = played.value?.index;
  const count = stepCount.value;
  if (!index || !now) return null;
  return h(
    "footer",
    { class: "pane timeline", "aria-label": say("timeline") },
    h(Driving, null),
    h(Track, { index, k: now.k }),
    h("p", { class: "position" }, h("b", null, say("step", { step: now.k + 1 })), " ", h("span", null, say("step-of", { count })), h("span", { class: "position-line" }, say("line", { line: now.stop.line }), h(Round, { index, k: now.k })), h(PositionSizer, { index }), isOld.value ? h("span", { class: "edited" }, h(Icon, { name: "edit", size: 14 }), say("edited")) : null),
    h(LeavePresenting, null),
  );
}

/** @param {{index: Index, k: number}} props */
function Track({ index, k }) {
  const host = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [width, setWidth] = useState(600);
  useLayoutEffect(() => {
    if (!host.current) return undefined;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(host.current);
    return () => observer.disconnect();
  }, []);
  const last = Math.max(1, index.stops.length - 1);
  const known = isPredicting.value ? knownAt(index, k) : index;
  const x = (/** @type {number} */ at) => EDGE + (at / last) * (width - 2 * EDGE);
  const choose = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => goTo(Number(currentTarget.value) - 1);
  const slider = {
    type: "range", min: 1, max: index.stops.length, step: 1, value: k + 1, class: "slider", "aria-label": say("timeline"), "aria-valuetext": describe(index, k), onInput: choose,
  };
  return h(
    "div",
    { class: "track", ref: host },
    h("svg", { width, height: 70, class: "marks", "aria-hidden": "true" }, bands(index, x, k), rail(x, k, last), marks(known, x, k, width), flags(known, x), isPredicting.value ? null : changeMarks(x)),
    h("input", slider),
  );
}

/** @param {Index} index @param {number} k */
function describe(index, k) {
  const stop = index.stops[k];
  const line = linesOf(index, stop?.line ?? 1);
  const warned = index.findings.filter((finding) => stopOfFinding(index, finding) === k).map((finding) => plain(say(`finding-${finding.kind}-title`, finding.arguments)));
  return [say("step", { step: k + 1 }), say("step-of", { count: index.stops.length }), say("line", { line: stop?.line ?? 1 }), line, ...warned].join(", ");
}

/** @param {(k: number) => number} x @param {number} k @param {number} last */
function rail(x, k, last) {
  return [h("path", { class: "rail", d: `M${x(0)},${TRACK} H${x(last)}`, key: "rail" }), h("path", { class: "rail done", d: `M${x(0)},${TRACK} H${x(k)}`, key: "done" })];
}

/** Where marks would touch, only every so many are drawn, and always what is not a plain statement. @param {Index} index @param {(k: number) => number} x @param {number} k @param {number} width */
function marks(index, x, k, width) {
  const count = index.stops.length;
  const gap = (width - 2 * EDGE) / Math.max(1, count - 1);
  const isDense = gap < 13;
  const every = Math.max(1, Math.ceil(34 / gap));
  const shown = index.stops.map((stop, at) => ({ stop, at })).filter(({ stop, at }) => !isDense || at === k || stop.mark === "exception" || (count < 400 && stop.mark === "write"));
  const others = shown.filter(({ at }) => at !== k).map(({ stop, at }) => h("path", { class: `mark ${stop.mark}${at < k ? " done" : ""}`, d: shapeOf(stop.mark, x(at), isDense ? 4.5 : stop.kind === "operator" ? 5 : 7), key: at }));
  const now = /** @type {Stop} */ (index.stops[k]);
  const here = h("g", { class: "here", key: "here" }, h("circle", { cx: x(k), cy: TRACK, r: 13 }), h("path", { class: `mark ${now.mark} now`, d: shapeOf(now.mark, x(k), 6.5) }));
  const numbers = index.stops.map((stop, at) => ({ stop, at })).filter(({ at }) => at === k || (at % every === 0 && Math.abs(at - k) * gap > 30));
  return [...others, here, ...numbers.map(({ stop, at }) => h("text", { class: `line-number${at === k ? " now" : ""}`, x: x(at), y: 66, key: `n${at}` }, `L${stop.line}`))];
}

/** @param {Stop["mark"]} mark @param {number} x @param {number} size */
function shapeOf(mark, x, size) {
  const y = TRACK;
  switch (mark) {
    case "view":
      return `M${x - size},${y - size * 0.8} h${2 * size} v${1.6 * size} h${-2 * size} z`;
    case "write":
      return `M${x},${y - size} l${size},${size} l${-size},${size} l${-size},${-size} z`;
    case "node":
      return `M${x},${y - size} l${size * 1.05},${size * 1.8} h${-2.1 * size} z`;
    case "accumulate":
      return `M${x - size},${y - size * 0.85} h${2 * size} l${-size * 0.35},${1.7 * size} h${-1.3 * size} z`;
    case "exception":
      return `M${x - size},${y - size} L${x + size},${y + size} M${x + size},${y - size} L${x - size},${y + size}`;
    default:
      return `M${x - size},${y} a${size},${size} 0 1 0 ${2 * size},0 a${size},${size} 0 1 0 ${-2 * size},0 z`;
  }
}

/** @param {Index} index @param {(k: number) => number} x */
function flags(index, x) {
  const stops = [...new Set(index.findings.map((finding) => stopOfFinding(index, finding)))];
  return stops.map((k) => h("g", { class: "flag", key: `f${k}` }, h("path", { class: "flag-shape", d: `M${x(k) + 20},${TRACK - 17} l6.5,11.5 h-13 z` }), h("path", { class: "flag-mark", d: `M${x(k) + 20},${TRACK - 13} v4 m0,1.8 v0.4` })));
}

/** Where what is followed changes. @param {(k: number) => number} x */
function changeMarks(x) {
  return changes.value.map(({ k }) => h("path", { class: "change-mark", key: `c${k}`, d: `M${x(k)},${TRACK + 13.5} l5,6 h-10 z` }));
}
