/** Owns the pictures of several steps. The page goes to each step, then back to the one that was shown. */

import { goTo, step } from "../../state/store.js";
import { around, pictureOf, seen } from "./seen.js";

/** @import {Picture, Seen, Which} from "./seen.js" */

/** The maximum number of steps of one file. In a large animation, each frame takes about a megabyte. */
export const MOST_FRAMES = 60;

/**
 * @typedef {{k: number, picture: Picture, caption: string}} Frame `caption`: the story of the step
 */

/**
 * The frames of a range of steps, in order. Calls `tell` before each step is drawn.
 * @param {Which} which
 * @param {number} first
 * @param {number} last
 * @param {(k: number) => void} tell
 * @returns {Promise<Frame[]>}
 */
export async function framesOf(which, first, last, tell) {
  const before = step.peek();
  /** @type {{k: number, what: Seen, caption: string}[]} */
  const drawn = [];
  try {
    for (let k = first; k <= last; k += 1) {
      tell(k);
      goTo(k);
      await painted();
      const what = seen(which);
      if (what !== null) drawn.push({ k, what, caption: captionNow() });
    }
  } finally {
    goTo(before);
  }
  if (drawn.length === 0) return [];
  const edges = around(drawn.map(({ what }) => what.edges));
  return Promise.all(
    drawn.map(async ({ k, what, caption }) => ({ k, caption, picture: await pictureOf(what, edges) })),
  );
}

/** The sentence of the story for the shown step. */
function captionNow() {
  const sentences = [...document.querySelectorAll(".story > p, .story-else > p")].map(
    (each) => each.textContent ?? "",
  );
  return sentences.join(" ");
}

/** Resolves when the requested state is drawn. */
function painted() {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
