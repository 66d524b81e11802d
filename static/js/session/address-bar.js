/**
 * Owns updates of the address bar without navigation. Browsers limit how often the address may change, so
 * updates are throttled.
 */

import { readStored, writeStored } from "../io/browser-storage.js";

/** The key in the browser's storage under which the latest address is kept for a reload. */
const LAST = "unwritten-address";

/**
 * The limits for changes of the address: at most 30 in a row, then two per second. Safari refuses more than
 * 100 changes in 30 s, other browsers more than 200.
 */
const MOST_AT_ONCE = 30;
const REFILL_MS = 500;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let left = MOST_AT_ONCE;
let refilledAt = 0;
let latestAddress = "";

/**
 * Changes the address now, or after a delay if the limit is reached.
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

/** Changes the address without waiting, if a change is pending. */
export function flush() {
  if (timer !== undefined) write();
}

/**
 * Applies a pending change of the address when the page is left, and stores the latest address. On a reload
 * the browser may load an older address, because its main process is informed of a change with a delay. Call
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
