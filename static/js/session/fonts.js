/**
 * Owns when the fonts load at a first visit: after the page is usable and while no run is pending, because
 * fonts would slow down these requests. On later visits the fonts are cached, and pages/theme.js applies
 * them at once.
 */

import { effect } from "../../vendor/ui.js";
import { writeStored } from "../io/browser-storage.js";
import { status } from "../state/store.js";

const LATER = "data-fonts";

/** Applies the fonts. Resolves when the fonts are loaded. */
export async function loadFonts() {
  const root = document.documentElement;
  if (root.hasAttribute(LATER)) {
    await painted();
    await new Promise((done) => effect(() => void (status.value.kind !== "running" && done(undefined))));
    root.removeAttribute(LATER);
  }
  await document.fonts.ready;
  writeStored("fonts", "here");
}

/**
 * Resolves when the page is painted and Preact has run its effects. Preact runs effects one frame after the
 * paint.
 */
function painted() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done))));
}
