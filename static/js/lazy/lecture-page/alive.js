/** Owns which pictures of a lecture are drawn: pictures near the screen, or all pictures for printing. */

import { signal } from "../../../vendor/ui.js";

/**
 * The maximum number of parts that are drawn at once, except for printing. The least recently requested part
 * is removed first.
 */
const MOST = 6;

/** Whether every part must be drawn. */
export const isDrawingAll = signal(false);
/**
 * The parts of the page. The value is true after the part's picture was drawn, or failed.
 * @type {Map<object, boolean>}
 */
const parts = new Map();
/** The callbacks of callers that wait for all parts. */
let waiting = /** @type {(() => void)[]} */ ([]);

/**
 * The drawn parts, the most recently requested at the end. The value removes the picture.
 * @type {Map<object, () => boolean>}
 */
const alive = new Map();

/**
 * Records that a part is being drawn. Pictures of other parts may be removed to save memory.
 * @param {object} part
 * @param {() => boolean} forget removes the picture; returns false if that is not possible
 */
export function keepAlive(part, forget) {
  alive.delete(part);
  alive.set(part, forget);
  if (isDrawingAll.peek()) return;
  for (const [each, drop] of [...alive].slice(0, -1)) {
    if (alive.size <= MOST) return;
    if (drop()) alive.delete(each);
  }
}

/** @param {object} part a part that was removed from the page */
export function leave(part) {
  alive.delete(part);
  parts.delete(part);
  tellWhenDrawn();
}

/**
 * @param {object} part
 * @param {boolean} isDrawn whether the part's picture was drawn, or failed
 */
export function noteDrawn(part, isDrawn) {
  parts.set(part, isDrawn);
  tellWhenDrawn();
}

function tellWhenDrawn() {
  if (![...parts.values()].every(Boolean)) return;
  for (const tell of waiting) tell();
  waiting = [];
}

/** Draws every part. Resolves when all pictures are drawn. */
export async function drawAll() {
  isDrawingAll.value = true;
  const isDrawn = new Promise((done) => waiting.push(() => done(undefined)));
  tellWhenDrawn();
  await isDrawn;
  await new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)));
  isDrawingAll.value = false;
}
