/** Owns which pictures of a lecture are drawn: those near the screen, and all of them for paper. */

import { signal } from "../../../vendor/ui.js";

/**
 * The most parts that are drawn at once, except for printing. The earliest requested ones are removed
 * first.
 */
const MOST = 6;

/** Whether every part is to be drawn. */
export const isDrawingAll = signal(false);
/**
 * The parts of the page, and whether each has its picture, or never will.
 * @type {Map<object, boolean>}
 */
const parts = new Map();
/** Callers that wait until all parts are drawn. */
let waiting = /** @type {(() => void)[]} */ ([]);

/**
 * Parts that are drawn, the one asked for last at the end; each is forgotten by its function.
 * @type {Map<object, () => boolean>}
 */
const alive = new Map();

/**
 * A part is drawn from now on; others may be removed to save memory.
 * @param {object} part
 * @param {() => boolean} forget draws it no longer; false: it cannot be
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

/** @param {object} part is no longer on the page */
export function leave(part) {
  alive.delete(part);
  parts.delete(part);
  tellWhenDrawn();
}

/**
 * @param {object} part
 * @param {boolean} isDrawn whether it has its picture, or never will
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

/** Draws every part; resolves once each has its picture. */
export async function drawAll() {
  isDrawingAll.value = true;
  const isDrawn = new Promise((done) => waiting.push(() => done(undefined)));
  tellWhenDrawn();
  await isDrawn;
  await new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)));
  isDrawingAll.value = false;
}
