/** Owns the scale of the graph: the fitting scale, computed once for a run, and the visitor's zoom. */

import { tool } from "../buttons.js";
import { h } from "../../../vendor/ui.js";
import { zoom } from "../../state/store.js";
import { say } from "../../state/words.js";

const STEP = 1.2;
const MOST = 2.5;

/**
 * Two scales of a graph in its pane. `fitting`: text is easiest to read; `whole`: the whole graph is
 * visible.
 * @typedef {{fitting: number, whole: number}} Fit
 */

/**
 * The scale in use.
 * @param {Fit} fit
 */
export function zoomed({ fitting, whole }) {
  return Math.max(whole, Math.min(MOST, fitting * zoom.value));
}

/**
 * @param {Fit} fit
 * @param {number} factor
 */
export function zoomBy({ fitting, whole }, factor) {
  const next = zoomed({ fitting, whole }) * factor;
  const isNear = Math.abs(next / fitting - 1) < 0.02; // a scale near the fitting scale becomes that scale
  zoom.value = isNear ? 1 : Math.max(whole, Math.min(MOST, next)) / fitting;
}

/**
 * Zooms to the fitting scale. At this scale already, zooms out to the whole graph, or to scale 1 if the
 * whole graph is already visible.
 * @param {Fit} fit
 */
function fitOrShowAll({ fitting, whole }) {
  zoom.value = zoom.peek() === 1 ? (whole < fitting ? whole : 1) / fitting : 1;
}

/**
 * Handles the keys +, - and 0 while the graph has the focus.
 * @param {KeyboardEvent} event
 * @param {Fit} fit
 */
export function zoomByKey(event, fit) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "+" || event.key === "=") zoomBy(fit, STEP);
  else if (event.key === "-") zoomBy(fit, 1 / STEP);
  else if (event.key === "0") fitOrShowAll(fit);
  else return;
  event.preventDefault();
}

/** @param {{fit: Fit}} props */
export function ZoomButtons({ fit }) {
  const now = zoomed(fit);
  return h(
    "div",
    { class: "switch zoom", role: "group", "aria-label": say("zoom") },
    tool(say("zoom-out"), now <= fit.whole, () => zoomBy(fit, 1 / STEP), "−"),
    tool(say("zoom-fit"), false, () => fitOrShowAll(fit), say("zoom-fit-word")),
    tool(say("zoom-in"), now >= MOST, () => zoomBy(fit, STEP), "+"),
  );
}
