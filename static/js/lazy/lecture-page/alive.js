/**
 * Chooses which pictures of a lecture's page are drawn: those near the visible part of the page, or all of
 * them for printing.
 */

import { signal } from "../../../vendor/ui.js";

/**
 * The maximum number of parts of a lecture whose pictures exist at once, except for printing. The pictures
 * of the least recently requested part are removed first.
 */
const MOST = 6;

/** Whether the pictures of every part must be drawn, for printing. */
export const isDrawingAll = signal(false);
/**
 * The parts of the lecture on the page. The value becomes true when the part's pictures are drawn, or failed
 * to be drawn.
 * @type {Map<object, boolean>}
 */
const parts = new Map();
/** Callbacks to call when the pictures of all parts are drawn. */
let waiting = /** @type {(() => void)[]} */ ([]);

/**
 * The parts whose pictures are drawn, the most recently requested last. The value is a function that removes
 * the pictures.
 * @type {Map<object, () => boolean>}
 */
const alive = new Map();

/**
 * Records that the pictures of a part are being drawn, and removes the pictures of other parts if there are
 * too many.
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

/** Draws the pictures of every part. Resolves when the pictures of all parts are drawn. */
export async function drawAll() {
  isDrawingAll.value = true;
  const isDrawn = new Promise((done) => waiting.push(() => done(undefined)));
  tellWhenDrawn();
  await isDrawn;
  await new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)));
  isDrawingAll.value = false;
}
