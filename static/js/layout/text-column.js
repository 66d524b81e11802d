/** Owns the width of the column with the code and the story, from the longest line of the code. Pure. */

import { WIDE } from "./measures.js";

/**
 * The text column's share of the page's width if the visitor did not choose one, by the width of the page.
 */
const TEXT = {
  wide: { from: WIDE, least: 0.27, most: 0.36, size: 16 },
  usual: { from: 1101, least: 0.3, most: 0.37, size: 13 },
  narrow: { from: 0, least: 0.33, most: 0.38, size: 13 },
};
/**
 * The text column's usual minimum share of a page, and the lower minimum to which it shrinks before the
 * memory picture would be cut.
 */
export const LEAST_TEXT = 0.3;
export const LAST_TEXT = 0.24;

/** The text column's minimum share of a wide page in presenter mode. */
export const LEAST_PRESENTED_TEXT = 0.24;
/**
 * The width in px that the code pane needs next to the code: line numbers, signs, and space at the end of a
 * line.
 */
const BESIDE_CODE = 90;
/** The width in px of the values next to the lines. */
const VALUES = 112;
/**
 * Lines of code of up to `letters` characters are not broken if the pictures leave room. `most` is then the
 * text column's maximum share of a page.
 */
const ROOMY = { letters: 80, most: 0.6 };

/**
 * The text column's share of a page for code whose longest line has `letters` characters, between the
 * minimum and maximum for that page.
 * @param {number} letters of the longest line
 * @param {number} width of the page
 * @param {number} larger size of text relative to the default
 */
export function textShare(letters, width, larger) {
  const { least, most } = textOn(width);
  return Math.max(least, Math.min(most, Math.ceil(100 * textNeeded(letters, width, larger)) / 100));
}

/**
 * The shares of a page that the text column can use if the pictures leave room: for lines of up to 80
 * characters, without and with the values next to the lines.
 * @param {number} letters of the longest line
 * @param {number} width of the page
 * @param {number} larger size of text relative to the default
 */
export function roomyTextShares(letters, width, larger) {
  const lines = textNeeded(Math.min(ROOMY.letters, letters), width, larger);
  const shares = [lines, lines + (VALUES * larger) / (width - 40)];
  const [ofLines = 0, withValues = 0] = shares.map((share) =>
    Math.max(textShare(letters, width, larger), Math.min(ROOMY.most, share)),
  );
  return { ofLines, withValues };
}

/** @param {number} width of the page */
function textOn(width) {
  return Object.values(TEXT).find(({ from }) => width >= from) ?? /** @type {never} */ (TEXT.narrow);
}

/**
 * The share of a page that the text column needs for code whose longest line has `letters` characters.
 * @param {number} letters of the longest line
 * @param {number} width of the page
 * @param {number} larger size of text relative to the default
 */
function textNeeded(letters, width, larger) {
  return (letters * textOn(width).size * larger * 0.6 + BESIDE_CODE) / (width - 40);
}
