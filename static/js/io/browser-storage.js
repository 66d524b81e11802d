/**
 * Owns access to the browser's storage: short strings by key. If storage is forbidden, reading gives null
 * and writing has no effect.
 */

/** @typedef {"localStorage" | "sessionStorage"} Where for all tabs, or for this tab until it is closed */

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
    return null; // storage is forbidden
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
    // storage is forbidden or full, and no feature depends on storage
  }
}

/**
 * The valid items of a list that was stored as JSON. Returns [] if the text is not such a list.
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
