/**
 * Owns how the address changes without a new page. Browsers refuse many changes in a row, so what a slider or
 * typing changes is gathered.
 */

/**
 * Safari refuses more than 100 changes in 30 s, the others more than 200: at most 30 at once, then 2 a
 * second.
 */
const MOST_AT_ONCE = 30;
const REFILL_MS = 500;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pending;
let left = MOST_AT_ONCE;
let counted = 0;
let wanted = "";

/**
 * Write the address at once, or a moment later where too many came before.
 * @param {string} address
 */
export function replace(address) {
  clearTimeout(pending);
  pending = undefined;
  wanted = address;
  const now = performance.now();
  left = Math.min(MOST_AT_ONCE, left + (now - counted) / REFILL_MS);
  counted = now;
  if (left >= 1) write();
  else pending = setTimeout(write, (1 - left) * REFILL_MS);
}

/** Write what still waits. */
export function flush() {
  if (pending !== undefined) write();
}

/** Leave no address behind that is not written yet: call once. */
export function flushWhenLeft() {
  window.addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", flush);
}

function write() {
  clearTimeout(pending);
  pending = undefined;
  if (location.pathname + location.search + location.hash === wanted) return;
  left -= 1;
  history.replaceState(null, "", wanted);
}
