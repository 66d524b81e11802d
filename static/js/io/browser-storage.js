/** Owns what this browser remembers of a visitor: a few words under plain keys, where storage is allowed. */

/** @typedef {"localStorage" | "sessionStorage"} Where for all tabs, or for this one as long as it is open */

/**
 * @param {string} key
 * @param {Where} [where]
 * @returns {string | null}
 */
export function readStored(key, where = "localStorage") {
  try {
    return globalThis[where].getItem(`stepgrad.${key}`);
  } catch {
    return null; // storage may be forbidden; then nothing is remembered
  }
}

/**
 * @param {string} key
 * @param {string} text
 * @param {Where} [where]
 */
export function writeStored(key, text, where = "localStorage") {
  try {
    globalThis[where].setItem(`stepgrad.${key}`, text);
  } catch {
    // forbidden or full: what is remembered is a courtesy
  }
}
