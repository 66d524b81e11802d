/**
 * Collects the pictures of several steps for an export. To draw them, the page shows each step, then returns
 * to the step that was shown before.
 */

import { goTo, step } from "../../state/store.js";
import { around, pictureOf, seen } from "./seen.js";

/** @import {Picture, Seen, Which} from "./seen.js" */

/**
 * The maximum number of steps in one exported file, because each frame of a large animation takes about a
 * megabyte.
 */
export const MOST_FRAMES = 60;

/**
 * @typedef {{k: number, picture: Picture, caption: string, why: string[]}} Frame `caption`: the story of the
 *   step; `why`: the shown question "Why?", followed by the links of its answer
 */

/**
 * The frames for a range of steps, in order. Calls `tell` with the step before drawing it.
 * @param {Which} which
 * @param {number} first
 * @param {number} last
 * @param {(k: number) => void} tell
 * @returns {Promise<Frame[]>}
 */
export async function framesOf(which, first, last, tell) {
  const before = step.peek();
  /** @type {(Omit<Frame, "picture"> & {what: Seen})[]} */
  const drawn = [];
  try {
    for (let k = first; k <= last; k += 1) {
      tell(k);
      goTo(k);
      await painted();
      const what = seen(which);
      if (what !== null) drawn.push({ k, what, caption: captionNow(), why: whyNow() });
    }
  } finally {
    goTo(before);
  }
  if (drawn.length === 0) return [];
  const edges = around(drawn.map(({ what }) => what.edges));
  return Promise.all(
    drawn.map(async ({ what, ...told }) => ({ ...told, picture: await pictureOf(what, edges) })),
  );
}

/** The text of the story for the shown step. */
function captionNow() {
  const sentences = [...document.querySelectorAll(".story > p, .story-else > p")].map(
    (each) => each.textContent ?? "",
  );
  return sentences.join(" ");
}

/** The text of the shown question "Why?" and of the links of its answer; empty if no answer is shown. */
function whyNow() {
  const shown = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".why h3, .why li")]);
  return shown.map((each) => {
    const told = each.matches("li") ? [...each.children] : [each];
    const words = told
      .filter((child) => !child.matches(".link"))
      .map((child) =>
        child.matches(".why-formula") ? [...child.children].map(plainText).join(", ") : plainText(child),
      );
    return [each.dataset.hop ?? "", ...words].join(" ").replaceAll(/\s+/g, " ").trim();
  });
}

/** @param {Element} element */
function plainText(element) {
  return /** @type {HTMLElement} */ (element).innerText;
}

/** Resolves after the browser has drawn the requested step. */
function painted() {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
