/** Owns swipes on the panes of a run. A swipe to the left steps forward, a swipe to the right steps back. */

import { advance, retreat } from "../state/prediction.js";
import { isPlaying, mode, played } from "../state/store.js";
import { canScroll, sidewards, swiped } from "./swipe-gesture.js";

/**
 * @typedef {{touch: import("./swipe-gesture.js").Touch, scrollers: Element[], isClaimed: boolean}} Begun
 *   `isClaimed`: this code handles the touch, so the browser must not scroll
 */

/** @type {Begun | null} */
let active = null;

/** Adds the listeners for swipes, which are never removed. */
export function listenToSwipes() {
  addEventListener("touchstart", begin, { passive: true });
  addEventListener("touchmove", claim, { passive: false });
  addEventListener("touchend", end, { passive: true });
  addEventListener("touchcancel", () => (active = null), { passive: true });
}

/** @param {TouchEvent} event */
function begin(event) {
  const [finger, second] = event.touches;
  const isAlone = finger !== undefined && second === undefined && (visualViewport?.scale ?? 1) <= 1.01;
  active =
    isAlone && played.peek() !== null && isPane(event)
      ? { touch: placeOf(finger, event), scrollers: scrollersOf(event), isClaimed: false }
      : null;
}

/**
 * Decides at the first move whether a touch is a swipe. A touch is not a swipe if an element under it can
 * scroll in the direction of the move.
 * @param {TouchEvent} event
 */
function claim(event) {
  const finger = event.touches[0];
  if (active === null || finger === undefined || event.touches.length > 1) return leave();
  const direction = active.isClaimed ? null : sidewards(active.touch, placeOf(finger, event));
  if (direction === 0 || (direction !== null && active.scrollers.some((box) => canScroll(box, direction))))
    return leave();
  active.isClaimed = true;
  if (event.cancelable) event.preventDefault();
}

/** Stops following the touch and leaves it to the browser. */
function leave() {
  active = null;
}

/** @param {TouchEvent} event */
function end(event) {
  const finger = event.changedTouches[0];
  const gesture = active;
  active = null;
  if (gesture === null || finger === undefined || event.touches.length > 0) return;
  const direction = swiped(gesture.touch, placeOf(finger, event), innerWidth);
  if (direction === 0) return;
  isPlaying.value = false;
  if (direction === 1) advance();
  else retreat();
}

/**
 * @param {Touch} finger
 * @param {TouchEvent} event
 */
function placeOf(finger, event) {
  return { x: finger.clientX, y: finger.clientY, at: event.timeStamp };
}

/**
 * Whether the touch is on a pane that shows a step. The editor in edit mode and the slider are excluded.
 * @param {TouchEvent} event
 */
function isPane(event) {
  const target = event.target instanceof Element ? event.target : null;
  return (
    target?.closest(".just-ran, .main .pane") != null &&
    !(mode.peek() === "edit" && target.closest(".code-pane") !== null)
  );
}

/**
 * The elements under a touch that can scroll sideways.
 * @param {TouchEvent} event
 */
function scrollersOf(event) {
  const around = /** @type {Element[]} */ (
    event
      .composedPath()
      .filter(
        (element) =>
          element instanceof Element && element.scrollWidth > element.clientWidth && element.clientWidth > 0,
      )
  );
  return around.filter((element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX));
}
