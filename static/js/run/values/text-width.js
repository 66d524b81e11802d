/**
 * Owns the width of text in the two vendored fonts. The widths of characters are in a table, so that layouts
 * can be computed in a worker, without a DOM.
 */

const MONO = 0.6;
/**
 * The width of each ASCII character in the font Inter, in hundredths of an em, beginning with the space.
 * Other Latin characters have at most the width OTHER; bold text is wider by the factor BOLD.
 */
// biome-ignore format: a table
const SANS = [
  28, 29, 47, 63, 64, 98, 64, 30, 36, 36, 50, 66, 29, 46, 29, 36, 63, 41, 61, 62, 65, 59, 62, 57, 62, 62, 29, 30, 66, 66, 66, 51,
  97, 69, 65, 73, 72, 60, 59, 75, 74, 27, 57, 67, 57, 90, 75, 76, 64, 76, 64, 64, 65, 74, 69, 99, 68, 68, 63, 36, 36, 36, 47, 46,
  32, 56, 61, 57, 61, 58, 37, 61, 59, 24, 24, 55, 24, 88, 59, 60, 61, 61, 38, 53, 33, 59, 56, 82, 55, 56, 55, 43, 33, 43, 66,
];
const OTHER = 98;
const BOLD = 1.07;
const LATIN =
  /^[\x20-\u02ff\u0370-\u052f\u1e00-\u1fff\u2000-\u205f\u2070-\u2319\u231c-\u23e8\u23f4-\u25fc\u2600-\u2613\u2700-\u2704\u2706-\u2727\u2900-\u2b1a]*$/;
const MARK = /^[\p{M}\u2060\u2068\u2069]$/u;

/**
 * Whether all characters have the width of a Latin letter in a monospaced font.
 * @param {string} text
 */
export function isLatin(text) {
  return LATIN.test(text);
}

/**
 * The maximum width of a character in columns of a monospaced font: two for Chinese characters, emoji and
 * characters of a fallback font, zero for combining marks.
 * @param {string} character
 */
export function columnsOf(character) {
  return MARK.test(character) ? 0 : LATIN.test(character) ? 1 : 2;
}

/**
 * The width in px of `text` in JetBrains Mono. A CJK character is one em wide.
 * @param {string} text
 * @param {number} size in px
 */
export function monoWidth(text, size) {
  if (LATIN.test(text)) return text.length * size * MONO;
  let width = 0;
  for (const character of text) width += [0, size * MONO, size][columnsOf(character)] ?? size;
  return width;
}

/**
 * The width in px of `text` in Inter. A CJK character is one em wide.
 * @param {string} text
 * @param {number} size in px
 * @param {boolean} [isBold]
 */
export function sansWidth(text, size, isBold = false) {
  let width = 0;
  for (const character of text)
    width += LATIN.test(character)
      ? ((SANS[character.charCodeAt(0) - 32] ?? OTHER) * size) / 100
      : monoWidth(character, size);
  return isBold ? width * BOLD : width;
}
