/** Owns how the address changes without a new page: browsers refuse more than some hundred changes in half a minute, so those of a slider or of typing are gathered. */

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pending;
let last = 0;
let wanted = "";

/** @param {string} address */
export function replace(address) {
  clearTimeout(pending);
  wanted = address;
  const wait = 200 - (performance.now() - last);
  if (wait <= 0) write();
  else pending = setTimeout(write, wait);
}

/** Before the page is left: what still waits is written. */
export function flush() {
  if (pending !== undefined) write();
}

function write() {
  clearTimeout(pending);
  pending = undefined;
  if (location.pathname + location.search + location.hash === wanted) return;
  last = performance.now();
  history.replaceState(null, "", wanted);
}
