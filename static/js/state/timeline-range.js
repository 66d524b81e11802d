/**
 * Owns the range of stops that the timeline shows: the whole run, or the part that the visitor chose. Going
 * to a step outside the range moves the range.
 */

import { computed, effect, signal } from "../../vendor/ui.js";
import { stopAtTick } from "../run/facts.js";
import { between, isWhole, movedBy, whole, withStop, zoomedBy } from "../run/stops/range.js";
import { played, step } from "./store.js";

/** @import {ReadonlySignal, Signal} from "../../vendor/ui.js" */
/** @import {Range} from "../run/stops/stop-index.js" */
/** @import {Index} from "../run/types.d.ts" */

/** @type {Signal<{index: Index, range: Range} | null>} */
const chosen = signal(null);

/** @type {ReadonlySignal<Range>} */
export const range = computed(() => {
  const index = played.value?.index;
  const part = chosen.value;
  if (index === undefined) return whole(0);
  if (part === null || part.index.steps !== index.steps) return whole(index.stops.length);
  return part.index === index ? part.range : amongNewStops(part, index);
});

/** Whether the timeline shows only a part of the run. */
export const isZoomed = computed(() => !isWhole(range.value, played.value?.index.stops.length ?? 0));

// Going to a step outside the range moves the range. A visitor may also move the range away from the current
// step.
effect(() => {
  const k = step.value;
  const index = played.value?.index;
  if (index === undefined || chosen.peek()?.index.steps !== index.steps) return;
  const current = range.peek();
  const next = withStop(current, Math.min(k, index.stops.length - 1), index.stops.length);
  if (next !== current) chosen.value = { index, range: next };
});

/**
 * Translates a range to the stops of another granularity that cover the same ticks.
 * @param {{index: Index, range: Range}} part
 * @param {Index} index
 */
function amongNewStops(part, index) {
  const [from, to] = [part.range.from, part.range.to].map((k) =>
    stopAtTick(index, part.index.stops[k]?.tick ?? 0),
  );
  return between(from ?? 0, to ?? 0, index.stops.length);
}

/** @param {(current: Range, count: number) => Range} next */
function change(next) {
  const index = played.peek()?.index;
  if (index !== undefined) chosen.value = { index, range: next(range.peek(), index.stops.length) };
}

/**
 * @param {1 | -1} direction
 * @param {number} [around] a stop; by default the current step if the range contains it, otherwise the
 *   middle
 */
export function zoomBy(direction, around) {
  change((current, count) => {
    const isVisible = current.from <= step.peek() && step.peek() <= current.to;
    return zoomedBy(
      current,
      direction,
      around ?? (isVisible ? step.peek() : (current.from + current.to) / 2),
      count,
    );
  });
}

/** @param {number} by stops */
export function moveBy(by) {
  change((current, count) => movedBy(current, by, count));
}

/**
 * @param {number} from
 * @param {number} to
 */
export function zoomTo(from, to) {
  change((_, count) => between(from, to, count));
}

export function showWhole() {
  chosen.value = null;
}
