/** Owns the swipe: on a run's panes, a stroke to the left goes on and one to the right goes back. */

import { advance, retreat } from "../state/prediction.js";
import { isPlaying, mode, played } from "../state/store.js";
import { canScroll, sidewards, swiped } from "./swipe-gesture.js";

/**
 * @typedef {{touch: import("./swipe-gesture.js").Touch, scrollers: Element[], isClaimed: boolean}} Begun
 *   `isClaimed`: the browser has been told not to scroll
 */

/** @type {Begun | null} */
let begun = null;

/** Listen for as long as the page lives. */
export function listenToSwipes() {
  addEventListener("touchstart", begin, { passive: true });
  addEventListener("touchmove", claim, { passive: false });
  addEventListener("touchend", end, { passive: true });
  addEventListener("touchcancel", () => (begun = null), { passive: true });
}

/** @param {TouchEvent} event */
function begin(event) {
  const [finger, second] = event.touches;
  const isAlone = finger !== undefined && second === undefined && (visualViewport?.scale ?? 1) <= 1.01;
  begun =
    isAlone && played.peek() !== null && isPane(event)
      ? { touch: placeOf(finger, event), scrollers: scrollersOf(event), isClaimed: false }
      : null;
}

/**
 * The first move tells whose the stroke is: whoever scrolls a picture to its end has not yet swiped.
 * @param {TouchEvent} event
 */
function claim(event) {
  const finger = event.touches[0];
  if (begun === null || finger === undefined || event.touches.length > 1) return leave();
  const direction = begun.isClaimed ? null : sidewards(begun.touch, placeOf(finger, event));
  if (direction === 0 || (direction !== null && begun.scrollers.some((box) => canScroll(box, direction))))
    return leave();
  begun.isClaimed = true;
  if (event.cancelable) event.preventDefault();
}

/** The stroke is another's. */
function leave() {
  begun = null;
}

/** @param {TouchEvent} event */
function end(event) {
  const finger = event.changedTouches[0];
  const gesture = begun;
  begun = null;
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
 * Panes with a step in them; not the editor while it edits, and not the slider.
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
 * What around a touch may scroll sideways.
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
