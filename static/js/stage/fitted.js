/**
 * Fits text into boxes of the graph: in the requested size if there is space, or else a little smaller, or
 * else shortened.
 */

import { clip } from "../run/values/format.js";
import { monoWidth, sansWidth } from "../run/values/text-width.js";
import { el } from "./svg.js";

/** @import {Scene} from "./graph-picture.js" */
/** @import {Given, Shape} from "./svg.js" */

/** The minimum size, in picture units, to which text is made smaller to fit. */
const SMALLEST = 13;

/**
 * The size of text in a picture. `least`: the minimum size. `isFixed`: whether text that does not fit is
 * only shortened, and not made smaller.
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
 * @param {{size: number, room: number, isSans?: boolean}} place `size`: the requested size of the text,
 *   unless `least` is larger
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
 * The SVG element for a fitted text.
 * @param {Given} given
 * @param {Fitted} fitted
 * @returns {Shape}
 */
export function lettered(given, { text, size }) {
  return el("text", { ...given, "font-size": size }, text);
}
