/**
 * Owns the keyboard shortcuts of the embedded player. Letters and digits are no shortcuts, because the frame
 * is part of another page.
 */

import { advance, retreat } from "../../state/prediction.js";
import { goBy, goTo, isPlaying, stepCount, toStatement } from "../../state/store.js";

/** @type {Record<string, () => void>} */
const MOVES = {
  ArrowRight: advance,
  ArrowLeft: retreat,
  "Shift+ArrowRight": () => toStatement(1),
  "Shift+ArrowLeft": () => toStatement(-1),
  Home: () => goTo(0),
  End: () => goTo(stepCount.peek() - 1),
  PageDown: () => goBy(10),
  PageUp: () => goBy(-10),
};

/** Adds the listener for the shortcuts, which is never removed. */
export function listen() {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || stepCount.peek() === 0)
      return;
    const isControl = event.target instanceof Element && event.target.closest("button, a") !== null;
    if (event.key === " " && !isControl) isPlaying.value = !isPlaying.peek();
    else {
      const move = MOVES[event.shiftKey ? `Shift+${event.key}` : event.key];
      if (move === undefined) return;
      isPlaying.value = false;
      move();
    }
    event.preventDefault();
  });
}
