/** Owns how large the graph is drawn: the scale that fits it, once for a run, and what the visitor makes of it. */

import { h } from "../../vendor/ui.js";
import { zoom } from "../store.js";
import { say } from "../words.js";

const STEP = 1.2;
const LIMITS = { least: 0.5, most: 2.5 };

/** The scale on the page. @param {number} fitting */
export function zoomed(fitting) {
  return Math.max(LIMITS.least, Math.min(LIMITS.most, fitting * zoom.value));
}

/** @param {number} fitting @param {1 | -1} direction */
function change(fitting, direction) {
  const next = zoom.peek() * STEP ** direction;
  zoom.value = Math.max(LIMITS.least / fitting, Math.min(LIMITS.most / fitting, Math.abs(next - 1) < 0.05 ? 1 : next));
}

/** The keys + - 0 of the graph. @param {KeyboardEvent} event @param {number} fitting */
export function zoomByKey(event, fitting) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "+" || event.key === "=") change(fitting, 1);
  else if (event.key === "-") change(fitting, -1);
  else if (event.key === "0") zoom.value = 1;
  else return;
  event.preventDefault();
}

/** @param {{fitting: number}} props */
export function ZoomButtons({ fitting }) {
  const button = (/** @type {string} */ id, /** @type {string} */ text, /** @type {() => void} */ act, disabled = false) =>
    h("button", { type: "button", title: say(id), "aria-label": say(id), onClick: act, disabled }, text);
  const now = zoomed(fitting);
  return h(
    "div",
    { class: "switch zoom", role: "group", "aria-label": say("zoom") },
    button("zoom-out", "−", () => change(fitting, -1), now <= LIMITS.least),
    button("zoom-fit", say("zoom-fit-word"), () => (zoom.value = 1)),
    button("zoom-in", "+", () => change(fitting, 1), now >= LIMITS.most),
  );
}
