/**
 * Owns fitting text into boxes of the graph: at the requested size if the box has room, else a little
 * smaller, else shortened.
 */

import { clip } from "../run/values/format.js";
import { monoWidth, sansWidth } from "../run/values/text-width.js";
import { el } from "./svg.js";

/** @import {Scene} from "./graph-picture.js" */
/** @import {Given, Shape} from "./svg.js" */

/** The minimum size to which text shrinks to fit, in units of the picture. */
const SMALLEST = 13;

/**
 * The size of text. `least`: the requested minimum. `isFixed`: whether text keeps its size instead of
 * shrinking to fit a box.
 * @typedef {{least: number, isFixed: boolean}} Letters
 */
/** @typedef {{text: string, size: number}} Fitted */

/**
 * The size of text in a picture. The size is fixed in presenter mode.
 * @param {Pick<Scene, "least" | "layout">} scene
 * @returns {Letters}
 */
export function lettersOf({ least, layout }) {
  return { least, isFixed: layout.measures.terse };
}

/**
 * @param {string} text
 * @param {{size: number, room: number, isSans?: boolean}} place
 *   `size`: the size of the text, if `least` is not larger
 * @param {Letters} letters
 * @param {(most: number) => string} [shortened] shortens the text to `most` characters
 * @returns {Fitted}
 */
export function fitted(
  text,
  { size, room, isSans },
  { least, isFixed },
  shortened = (most) => clip(text, most),
) {
  const widthOf = isSans ? sansWidth : monoWidth;
  const wanted = Math.max(size, least);
  if (widthOf(text, wanted) <= room) return { text, size: wanted };
  const smallest = isFixed ? wanted : Math.min(wanted, SMALLEST);
  const fits = Math.floor((10 * room) / widthOf(text, 1)) / 10;
  if (fits >= smallest) return { text, size: fits };
  let most = Math.max(1, Math.ceil(room / monoWidth("0", smallest)));
  while (most > 1 && widthOf(shortened(most), smallest) > room) most -= 1;
  return { text: shortened(most), size: smallest };
}

/**
 * The element of a fitted text.
 * @param {Given} given
 * @param {Fitted} fitted
 * @returns {Shape}
 */
export function lettered(given, { text, size }) {
  return el("text", { ...given, "font-size": size }, text);
}
