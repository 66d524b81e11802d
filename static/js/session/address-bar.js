/**
 * Owns updates of the address without navigation. Browsers limit how often it may change, so updates are
 * throttled.
 */

import { readStored, writeStored } from "../io/browser-storage.js";

/** Where the last address waits for a reload: the tab may not know it yet. */
const LAST = "unwritten-address";

/**
 * Safari refuses more than 100 changes in 30 s, other browsers more than 200: at most 30 at once, then 2 per
 * second.
 */
const MOST_AT_ONCE = 30;
const REFILL_MS = 500;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let left = MOST_AT_ONCE;
let refilledAt = 0;
let latestAddress = "";

/**
 * Write the address now, or after a delay when the limit is reached.
 * @param {string} address
 */
export function replace(address) {
  clearTimeout(timer);
  timer = undefined;
  latestAddress = address;
  const now = performance.now();
  left = Math.min(MOST_AT_ONCE, left + (now - refilledAt) / REFILL_MS);
  refilledAt = now;
  if (left >= 1) write();
  else timer = setTimeout(write, (1 - left) * REFILL_MS);
}

/** Write the pending address. */
export function flush() {
  if (timer !== undefined) write();
}

/**
 * Write a pending address when the page is left, and keep it for the page that comes next: a browser reloads
 * the address that its main process knows, which hears of a new one a moment later. Call once.
 */
export function flushWhenLeft() {
  window.addEventListener("pagehide", () => {
    writeStored(LAST, latestAddress, "sessionStorage");
    flush();
  });
  document.addEventListener("visibilitychange", flush);
}

/** After a reload: take the last address, for the browser may have reloaded the one before it. */
export function restoreAddress() {
  const stored = readStored(LAST, "sessionStorage") ?? "";
  writeStored(LAST, "", "sessionStorage");
  const last = new URL(stored, location.href);
  const isSamePage = last.pathname === location.pathname && last.search === location.search;
  const [navigation] = performance.getEntriesByType("navigation");
  if (isSamePage && stored !== "" && navigation && Object(navigation).type === "reload")
    history.replaceState(null, "", last);
}

function write() {
  clearTimeout(timer);
  timer = undefined;
  if (location.pathname + location.search + location.hash === latestAddress) return;
  left -= 1;
  history.replaceState(null, "", latestAddress);
}
