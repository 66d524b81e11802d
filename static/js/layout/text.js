/** Owns how wide a text is, from fixed metrics of the two vendored fonts, so that a layout needs no document. */

const MONO = 0.6;
const WIDE = /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/;

/**
 * Width in px of `text` in JetBrains Mono; a CJK character is one em.
 * @param {string} text
 * @param {number} size in px
 */
export function monoWidth(text, size) {
  let width = 0;
  for (const character of text) width += WIDE.test(character) || character > "\uffff" ? size : size * MONO;
  return width;
}
