/**
 * Owns the width of text, from fixed metrics of the two vendored fonts, so that a layout needs no document.
 */

const MONO = 0.6;
const LATIN =
  /^[\x20-\u02ff\u0370-\u052f\u1e00-\u1fff\u2000-\u205f\u2070-\u2319\u231c-\u23e8\u23f4-\u25fc\u2600-\u2613\u2700-\u2704\u2706-\u2727\u2900-\u2b1a]*$/;
const MARK = /^[\p{M}\u2060\u2068\u2069]$/u;

/**
 * Whether all characters are as wide as a Latin letter in a monospaced font.
 * @param {string} text
 */
export function isLatin(text) {
  return LATIN.test(text);
}

/**
 * How many letters wide a character is at most: Chinese, emoji and characters of a fallback font take two,
 * combining marks none.
 * @param {string} character
 */
export function columnsOf(character) {
  return MARK.test(character) ? 0 : LATIN.test(character) ? 1 : 2;
}

/**
 * Width in px of `text` in JetBrains Mono; a CJK character is one em.
 * @param {string} text
 * @param {number} size in px
 */
export function monoWidth(text, size) {
  if (LATIN.test(text)) return text.length * size * MONO;
  let width = 0;
  for (const character of text) width += [0, size * MONO, size][columnsOf(character)] ?? size;
  return width;
}
