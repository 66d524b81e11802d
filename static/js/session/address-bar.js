/**
 * Owns updates of the address without navigation. Browsers limit how often it may change, so updates are
 * throttled.
 */

import { readStored, writeStored } from "../io/browser-storage.js";

/** Where an address that could not be written in time waits for the reload. */
const UNWRITTEN = "unwritten-address";

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

/** Write a pending address when the page is left. Call once. */
export function flushWhenLeft() {
  window.addEventListener("pagehide", () => {
    if (timer !== undefined) writeStored(UNWRITTEN, latestAddress, "sessionStorage");
    flush();
  });
  document.addEventListener("visibilitychange", flush);
}

/** After a reload: take the address that was pending, for the browser reloads the one before it. */
export function restoreAddress() {
  const unwritten = new URL(readStored(UNWRITTEN, "sessionStorage") ?? "", location.href);
  writeStored(UNWRITTEN, "", "sessionStorage");
  const isSamePage = unwritten.pathname === location.pathname && unwritten.search === location.search;
  const [navigation] = performance.getEntriesByType("navigation");
  if (isSamePage && unwritten.hash !== "" && navigation && Object(navigation).type === "reload")
    history.replaceState(null, "", unwritten);
}

function write() {
  clearTimeout(timer);
  timer = undefined;
  if (location.pathname + location.search + location.hash === latestAddress) return;
  left -= 1;
  history.replaceState(null, "", latestAddress);
}
