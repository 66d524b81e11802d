/**
 * Owns updates of the address without navigation. Browsers limit how often the address may change, so
 * updates are throttled.
 */

import { readStored, writeStored } from "../io/browser-storage.js";

/** The key under which the last address is stored for a reload. */
const LAST = "unwritten-address";

/**
 * At most 30 changes at once, then 2 per second. Safari refuses more than 100 changes in 30 s, other browsers
 * more than 200.
 */
const MOST_AT_ONCE = 30;
const REFILL_MS = 500;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let left = MOST_AT_ONCE;
let refilledAt = 0;
let latestAddress = "";

/**
 * Writes the address now, or after a delay if the limit is reached.
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

/** Writes the pending address. */
export function flush() {
  if (timer !== undefined) write();
}

/**
 * Writes a pending address when the page is left, and stores it for the next page. On a reload, the browser
 * uses the address that its main process knows. The main process learns of a change a moment later. Call
 * this function once.
 */
export function flushWhenLeft() {
  window.addEventListener("pagehide", () => {
    writeStored(LAST, latestAddress, "sessionStorage");
    flush();
  });
  document.addEventListener("visibilitychange", flush);
}

/** After a reload, restores the last address, because the browser may have reloaded an older address. */
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
