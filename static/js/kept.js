/** Owns what this browser remembers of a visitor: a few words under plain keys, where storage is allowed. */

/** @param {string} key @returns {string | null} */
export function kept(key) {
  try {
    return localStorage.getItem(`stepgrad.${key}`);
  } catch {
    return null; // storage may be forbidden; then nothing is remembered
  }
}

/** @param {string} key @param {string} text */
export function keep(key, text) {
  try {
    localStorage.setItem(`stepgrad.${key}`, text);
  } catch {
    // forbidden or full: what is remembered is a courtesy
  }
}
