/**
 * Owns access to the browser's storage: short strings under plain keys, if storage is allowed. Otherwise
 * nothing is read or stored.
 */

/** @typedef {"localStorage" | "sessionStorage"} Where for all tabs, or for this one as long as it is open */

const keepsNothing = globalThis.document?.documentElement.getAttribute("data-keeps") === "nothing";

/**
 * @param {string} key
 * @param {Where} [where]
 * @returns {string | null}
 */
export function readStored(key, where = "localStorage") {
  if (keepsNothing) return null;
  try {
    return globalThis[where].getItem(`stepgrad.${key}`);
  } catch {
    return null; // storage may be forbidden; then nothing is stored
  }
}

/**
 * @param {string} key
 * @param {string} text
 * @param {Where} [where]
 */
export function writeStored(key, text, where = "localStorage") {
  if (keepsNothing) return;
  try {
    globalThis[where].setItem(`stepgrad.${key}`, text);
  } catch {
    // forbidden or full: nothing depends on it
  }
}

/**
 * A list that was stored as JSON, as far as it is valid; anything may stand there.
 * @template T
 * @param {string | null} text
 * @param {(found: unknown) => found is T} isValid
 * @returns {T[]}
 */
export function listIn(text, isValid) {
  try {
    const found = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter(isValid) : [];
  } catch {
    return [];
  }
}
