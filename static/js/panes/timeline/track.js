/** Owns the track of the timeline: the marks of the visible range, the memory usage, and the slider. */

import { Slider, useWidth } from "./slider.js";
import { codeOf } from "../../run/places.js";
import { computed, h, signal, useMemo, useRef, useState } from "../../../vendor/ui.js";
import { changes } from "../../state/selection.js";
import { stopIndexOf, marksIn, spaced } from "../../run/stops/stop-index.js";
import { constructionBetween, constructionsOf, isPassed } from "../../run/stops/constructions.js";
import { bytes } from "../../run/values/format.js";
import { memoryUsageOf } from "../../run/memory-usage.js";
import { isPresenting } from "../../state/preferences.js";
import { isAsking, isHidden, lastVisibleStop } from "../../state/prediction.js";
import { noted } from "../../state/presenting.js";
import { goTo } from "../../state/store.js";
import { say, words } from "../../state/words.js";
import { isZoomed, moveBy, range as shownRange, showWhole, zoomBy } from "../../state/timeline-range.js";
import { constructionBands, passBands, roundBands } from "./bands.js";
import { CURVE, usageCurve, usageNow } from "./memory-curve.js";
import { highlightedStops } from "../pictures/highlight.js";
import { Overview } from "./overview.js";
import { plain } from "../rich.js";

/** @import {Mark, Range} from "../../run/stops/stop-index.js" */
/** @import {Index, Stop} from "../../run/types.d.ts" */

const EDGE = 18;
const RAIL = 36;
const NUMBERS = 62;
/**
 * Distances in px. With less than `single` px per stop, one mark stands for several stops, and marks are at
 * least `many` px apart.
 */
const APART = { single: 13, many: 16, number: 34, axis: 64, flag: 14, change: 7 };
/** The minimum space in px between two marks, measured from their outlines. */
const BETWEEN = 5;
/**
 * If every stop has a mark and marks are closer than this, in px, the line between them is not drawn,
 * because it would look like a row of dots.
 */
const RAIL_SEEN = 24;
/** The scale of the track in presenter mode, at which its text is 20 px high. */
const PRESENTED = 1.6;
/** The timeline of a run with at most this number of stops cannot be zoomed. */
const LONG = 60;

const roomy = matchMedia("(min-width: 821px) and (min-height: 640px)");
/**
 * Whether the page has space for the memory curve. The text view always contains the numbers of memory
 * usage.
 */
const hasCurve = signal(roomy.matches);
roomy.addEventListener("change", () => (hasCurve.value = roomy.matches));

/** The stops at which the selection changes. */
const changed = computed(() => changes.value.map(({ k }) => k));

/** @param {Index} index */
export function isLong(index) {
  return index.stops.length > LONG;
}

/**
 * @typedef {{
 *   index: Index,
 *   range: Range,
 *   width: number,
 *   x: (k: number) => number,
 *   gap: number,
 *   lastVisible: number,
 * }} View
 */

/** @param {{index: Index, k: number}} props */
export function Track({ index, k }) {
  const host = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [pointed, point] = useState(/** @type {number | null} */ (null));
  const times = isPresenting.value ? PRESENTED : 1;
  const width = useWidth(host, 4 * EDGE) / times;
  const isCurved = hasCurve.value && !isPresenting.value;
  const [range, lastVisible] = [shownRange.value, lastVisibleStop.value];
  const view = useMemo(() => viewOf(index, range, width, lastVisible), [index, range, width, lastVisible]);
  const { loop, shapes } = useMemo(() => passBands(view), [view, words.value]);
  const curve = useMemo(() => (isCurved ? usageCurve(view) : null), [view, words.value, isCurved]);
  const isIn = range.from <= k && k <= range.to;
  const bottom = isCurved ? CURVE.bottom + 3 : NUMBERS + (isPresenting.value ? 3 : 6);
  const long = isLong(index);
  const height = bottom + (long ? 13 : 0);
  const stopAt = (/** @type {MouseEvent} */ event) => {
    const across = (event.clientX - (host.current?.getBoundingClientRect().left ?? 0)) / times;
    return Math.max(range.from, Math.min(range.to, Math.round(range.from + (across - EDGE) / view.gap)));
  };
  const onPointerMove = (/** @type {PointerEvent} */ event) =>
    event.pointerType === "mouse" && point(stopAt(event));
  return h(
    "div",
    {
      class: "track",
      ref: host,
      style: { height: `${height * times}px`, "--times": times },
      onPointerMove,
      onPointerLeave: () => point(null),
      onWheel: (/** @type {WheelEvent} */ event) => turned(event, stopAt(event), view),
      onKeyDown: zoomByKey,
    },
    h(
      "svg",
      {
        width: width * times,
        height: height * times,
        viewBox: `0 0 ${width} ${height}`,
        class: "marks",
        "aria-hidden": "true",
      },
      isHidden.value ? null : [shapes, loop === undefined ? null : roundBands(view, loop, k)],
      rail(view, k),
      marks(view, k),
      constructionBands(view, k),
      marksOnBands(view, k),
      numbers(view, k),
      curve,
      curve !== null && isIn ? usageNow(view, k) : null,
      isCurved
        ? h("rect", {
            class: "usage-hit",
            x: 0,
            y: CURVE.top - 4,
            width,
            height: CURVE.bottom - CURVE.top + 8,
            onClick: (/** @type {MouseEvent} */ event) => goTo(stopAt(event)),
          })
        : null,
      here(view, k),
      isAsking.value ? null : flags(view, k),
      isHidden.value ? null : [changeMarks(view), highlightMarks(view)],
      noteMarks(view),
      long
        ? h(Overview, {
            left: EDGE,
            width: width - 2 * EDGE,
            y: bottom + 5,
            count: index.stops.length,
            range,
            k,
            isZoomed: isZoomed.value,
          })
        : null,
    ),
    h(Slider, { ...range, k, words: describe(index, k), go: goTo, look: "slider" }),
    pointed === null || pointed > lastVisible
      ? null
      : h(Tip, { index, k: pointed, x: times * view.x(pointed), width: times * width }),
  );
}

/**
 * @param {Index} index
 * @param {Range} range
 * @param {number} width
 * @param {number} lastVisible
 * @returns {View}
 */
function viewOf(index, range, width, lastVisible) {
  const gap = (width - 2 * EDGE) / Math.max(1, range.to - range.from);
  return { index, range, width, gap, lastVisible, x: (at) => EDGE + (at - range.from) * gap };
}

/**
 * Zoom at the stop under the pointer with Ctrl or a pinch, and pan with horizontal scrolling.
 * @param {WheelEvent} event
 * @param {number} at
 * @param {View} view
 */
function turned(event, at, { index, gap }) {
  if (!isLong(index)) return;
  const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
  if (event.ctrlKey) zoomBy(event.deltaY < 0 ? 1 : -1, at);
  else if (isZoomed.peek() && Math.abs(across) > Math.abs(event.shiftKey ? 0 : event.deltaY))
    moveBy(Math.sign(across) * Math.max(1, Math.abs(across) / gap));
  else return;
  event.preventDefault();
}

/**
 * Zoom with the keys + - 0, as in the graph.
 * @param {KeyboardEvent} event
 */
function zoomByKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "+" || event.key === "=") zoomBy(1);
  else if (event.key === "-") zoomBy(-1);
  else if (event.key === "0") showWhole();
  else return;
  event.preventDefault();
}

/**
 * The memory usage at a stop, in words.
 * @param {Index} index
 * @param {number} k
 */
export function usageText(index, k) {
  const { bytes: all, count } = memoryUsageOf(index);
  return say("living", { bytes: bytes(all[k] ?? 0), count: count[k] ?? 0 });
}

/**
 * @param {Index} index
 * @param {number} k
 */
export function usageShort(index, k) {
  return say("living-short", { bytes: bytes(memoryUsageOf(index).bytes[k] ?? 0) });
}

/**
 * @param {Index} index
 * @param {number} k
 */
function describe(index, k) {
  const warned = (stopIndexOf(index).findings.get(k) ?? []).map((finding) =>
    plain(say(`finding-${finding.kind}-title`, finding.arguments)),
  );
  const line = index.stops[k]?.place ?? 1;
  return [
    say("step", { step: k + 1 }),
    say("step-of", { count: index.stops.length }),
    say("line", { line }),
    codeOf(index, index.stops[k]),
    ...warned,
    usageText(index, k),
    ...(noted.value.includes(k) ? [say("note-here")] : []),
  ].join(", ");
}

/**
 * The tooltip of the stop under the pointer.
 * @param {{index: Index, k: number, x: number, width: number}} props
 */
function Tip({ index, k, x, width }) {
  const across = Math.max(0, Math.min(1, x / width));
  return h(
    "div",
    { class: "tip", "aria-hidden": "true", style: { left: `${x}px`, translate: `${-100 * across}% 0` } },
    h(
      "p",
      null,
      h("b", null, say("step", { step: k + 1 })),
      ` · ${say("line", { line: index.stops[k]?.place ?? 1 })} `,
      h("code", null, codeOf(index, index.stops[k])),
    ),
    h("p", null, usageText(index, k)),
  );
}

/**
 * @param {View} view
 * @param {number} k
 */
function rail(view, k) {
  const { range, x, gap } = view;
  if (stopsPerMark(view) === 1 && gap < RAIL_SEEN) return [];
  const done = Math.max(range.from, Math.min(k, range.to));
  return [
    h("path", { class: "rail", d: `M${x(range.from)},${RAIL} H${x(range.to)}`, key: "rail" }),
    h("path", { class: "rail done", d: `M${x(range.from)},${RAIL} H${x(done)}`, key: "done" }),
  ];
}

/**
 * The number of stops per mark.
 * @param {View} view
 */
function stopsPerMark({ gap }) {
  return gap < APART.single ? Math.max(2, Math.ceil(APART.many / gap)) : 1;
}

/**
 * @param {View} view
 * @param {number} k
 */
function marks(view, k) {
  const each = stopsPerMark(view);
  const most = (each * view.gap - BETWEEN) / 2;
  const size = (/** @type {number} */ at) =>
    Math.min(most, each > 1 ? 4.5 : view.index.stops[at]?.kind === "operator" ? 5 : 7);
  return marksIn(view.index, view.range, each, view.lastVisible).map(({ k: at, mark }) => {
    const isPlain = each > 1 && (mark === "statement" || mark === "operator");
    const across =
      each > 1
        ? view.x(Math.max(view.range.from, Math.min(view.range.to, at - (at % each) + each / 2)))
        : view.x(at); // evenly spaced, because a mark is wider than the stops for which it stands
    const d = isPlain ? `M${across},${RAIL - 4} v8` : shapeOf(mark, across, size(at));
    return h("path", { class: `mark ${mark}${isPlain ? " tick" : ""}${at < k ? " done" : ""}`, d, key: at });
  });
}

/**
 * The marks of stops inside a construction of a module that is stepped through, not passed as a whole.
 * @param {View} view
 * @param {number} k
 */
function marksOnBands({ index, range, x, lastVisible }, k) {
  const constructions = constructionsOf(index);
  return [...constructions.shown]
    .filter((at) => range.from <= at && at <= Math.min(range.to, lastVisible))
    .filter((at) => constructionBetween(constructions, at, k) !== undefined)
    .map((at) => {
      const { mark } = /** @type {Stop} */ (index.stops[at]);
      return h("path", {
        class: `mark ${mark}${at < k ? " done" : ""}`,
        d: shapeOf(mark, x(at), 5),
        key: `s${at}`,
      });
    });
}

/**
 * @param {View} view
 * @param {number} k
 */
function here({ index, range, x }, k) {
  const now = index.stops[k];
  if (now === undefined || k < range.from || k > range.to) return null;
  return h(
    "g",
    { class: "here", key: "here" },
    h("circle", { cx: x(k), cy: RAIL, r: 13 }),
    h("path", { class: `mark ${now.mark} now`, d: shapeOf(now.mark, x(k), 6.5) }),
  );
}

/**
 * The numbers below the marks: line numbers if each stop has a mark, or else step numbers and the line of
 * the current step.
 * @param {View} view
 * @param {number} k
 */
function numbers(view, k) {
  const { index, range, gap, x, lastVisible } = view;
  const isDense = stopsPerMark(view) > 1;
  const every = isDense ? roundNumber(APART.axis / gap) : Math.max(1, Math.ceil(APART.number / gap));
  const constructions = constructionsOf(index);
  const shapes = [];
  const offset = isDense ? 1 : 0;
  for (let at = Math.ceil((range.from + offset) / every) * every - offset; at <= range.to; at += every) {
    if (!isDense && isPassed(constructions, at, k)) continue;
    if (at < range.from || at > lastVisible || Math.abs(at - k) * gap <= (isDense ? 40 : 30)) continue;
    shapes.push(
      h(
        "text",
        { class: isDense ? "axis-number" : "line-number", x: x(at), y: NUMBERS, key: `n${at}` },
        isDense ? at + 1 : numberOf(index.stops[at]),
      ),
    );
  }
  if (range.from <= k && k <= range.to)
    shapes.push(
      h("text", { class: "line-number now", x: x(k), y: NUMBERS, key: "now" }, numberOf(index.stops[k])),
    );
  return shapes;
}

/**
 * The smallest number of 1, 2, 5, 10, 20 … that is at least `least`.
 * @param {number} least
 */
function roundNumber(least) {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * size).find((number) => number >= least) ?? size;
}

/**
 * The SVG path of a mark, whose shape shows the kind of step.
 * @param {Mark} mark
 * @param {number} x
 * @param {number} size
 * @param {number} [y]
 */
export function shapeOf(mark, x, size, y = RAIL) {
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

/**
 * The flags of findings, next to the mark of their stop if there is space, or else above it.
 * @param {View} view
 * @param {number} k
 */
function flags(view, k) {
  const { index, range, gap, x, lastVisible } = view;
  const isDense = stopsPerMark(view) > 1;
  const beside = isDense ? 20 : Math.min(20, Math.max(7, gap / 2)); // at most half way to the next mark
  const { warned, hinted } = stopIndexOf(index);
  const shown = (/** @type {number[]} */ stops) =>
    spaced(stops, { from: range.from, to: Math.min(range.to, lastVisible) }, APART.flag / gap);
  const across = (/** @type {number} */ at) => x(at) + (isDense && Math.abs(at - k) * gap > 20 ? 0 : beside);
  const warnings = shown(warned.filter((at) => !hinted.has(at)));
  const hints = shown([...hinted]).filter(
    (at) => !warnings.some((warning) => Math.abs(warning - at) * gap < APART.flag),
  );
  return [
    hints.map((at) =>
      h(
        "g",
        { class: "flag hint", key: `h${at}` },
        h("circle", { class: "flag-shape", cx: across(at), cy: RAIL - 11.5, r: 5.2 }),
        h("path", { class: "flag-mark", d: `M${across(at)},${RAIL - 11.8} v2.9 m0,-5.6 v0.3` }),
      ),
    ),
    warnings.map((at) =>
      h(
        "g",
        { class: "flag", key: `f${at}` },
        h("path", { class: "flag-shape", d: `M${across(at)},${RAIL - 17} l6.5,11.5 h-13 z` }),
        h("path", { class: "flag-mark", d: `M${across(at)},${RAIL - 13} v4 m0,1.8 v0.4` }),
      ),
    ),
  ];
}

/**
 * The marks at the stops that change the selected item.
 * @param {View} view
 */
function changeMarks({ range, gap, x }) {
  return spaced(changed.value, range, APART.change / gap).map((k) =>
    h("path", { class: "change-mark", key: `c${k}`, d: `M${x(k)},${RAIL + 11} l4.5,5 h-9 z` }),
  );
}

/**
 * The marks of stops with a note: above the stop's mark, or below it if the flags of findings are above.
 * @param {View} view
 */
function noteMarks(view) {
  const { range, gap, x } = view;
  const y = stopsPerMark(view) > 1 ? RAIL + 8 : RAIL - 17;
  return spaced(noted.value, range, APART.change / gap).map((k) =>
    h("path", { class: "note-mark", key: `n${k}`, d: `M${x(k) - 4},${y} h8 v5 l-3,3 h-5 z` }),
  );
}

/**
 * Rings around the marks of the stops that affect the highlighted item.
 * @param {View} view
 */
function highlightMarks({ range, gap, x }) {
  return spaced(highlightedStops.value, range, APART.change / gap).map((k) =>
    h("circle", { class: "highlighted-mark", key: `l${k}`, cx: x(k), cy: RAIL, r: 10 }),
  );
}

/**
 * The line number of a stop below the track. An arrow marks a line of another file, whose name would not
 * fit.
 * @param {Stop | undefined} stop
 */
function numberOf(stop) {
  return stop?.span?.file == null ? `L${stop?.line}` : `↗L${stop.span.line}`;
}
