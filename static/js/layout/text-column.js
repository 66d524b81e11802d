/** Owns how wide the column of the code and the story is: by the longest line of the code. Pure. */

import { WIDE } from "./measures.js";

/** How wide the column of the code and the story is where no visitor chose, of the page. */
const TEXT = {
  wide: { from: WIDE, least: 0.27, most: 0.36, size: 16 },
  usual: { from: 1101, least: 0.3, most: 0.37, size: 13 },
  narrow: { from: 0, least: 0.33, most: 0.38, size: 13 },
};
/** How far it gives way to pictures, and how far where memory would be cut else. */
export const LEAST_TEXT = 0.3;
export const LAST_TEXT = 0.24;

/** The same on a wide page in presenter mode. */
export const LEAST_PRESENTED_TEXT = 0.24;
/** The px next to the code in its pane: line numbers, signs, and space at the end of a line. */
const BESIDE_CODE = 90;
/** The px of the values next to the lines. */
const VALUES = 112;
/** The letters of a line that is shown whole where the pictures leave the room, and the most of a page. */
const ROOMY = { letters: 80, most: 0.6 };

/**
 * The share of that column for code of so many letters: what its lines need, within bounds.
 * @param {number} letters of the longest line
 * @param {number} width of the page
 * @param {number} larger times the plain size of text
 */
export function textShare(letters, width, larger) {
  const { least, most } = textOn(width);
  return Math.max(least, Math.min(most, Math.ceil(100 * textNeeded(letters, width, larger)) / 100));
}

/**
 * The shares that it can use of what the pictures leave: for lines of up to 80 letters, and for the values
 * next to them, too.
 * @param {number} letters of the longest line
 * @param {number} width of the page
 * @param {number} larger times the plain size of text
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
 * The share that code of so many letters needs.
 * @param {number} letters of the longest line
 * @param {number} width of the page
 * @param {number} larger times the plain size of text
 */
function textNeeded(letters, width, larger) {
  return (letters * textOn(width).size * larger * 0.6 + BESIDE_CODE) / (width - 40);
}
