/**
 * Ends the blank screen of presenter mode: the next key or press shows the page again and has no other
 * effect.
 */

import { isBlank } from "../state/presenting.js";

const MODIFIERS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"]);
const PRESSES = ["pointerdown", "pointerup", "click", "touchstart", "touchmove", "touchend", "wheel"];

/**
 * Adds the listeners, which are never removed. Call this function before the shortcuts add their listeners,
 * so that a blank screen receives each event first.
 */
export function listenToBlank() {
  addEventListener("keydown", endByKey, { capture: true });
  for (const name of PRESSES) addEventListener(name, endByPress, { capture: true, passive: true });
}

/** @param {KeyboardEvent} event */
function endByKey(event) {
  if (!isBlank.peek()) return;
  event.stopImmediatePropagation();
  if (MODIFIERS.has(event.key)) return;
  isBlank.value = false;
  const isOfTheBrowser = event.ctrlKey || event.metaKey || event.altKey || /^F\d+$/.test(event.key);
  if (!isOfTheBrowser) event.preventDefault();
}

/** @param {Event} event */
function endByPress(event) {
  if (!isBlank.peek()) return;
  event.stopImmediatePropagation();
  if (event.type === "pointerup") isBlank.value = false;
}
