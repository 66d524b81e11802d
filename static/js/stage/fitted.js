/**
 * Owns texts in the boxes of the graph: as large as the page asks where the box has room, else a little
 * smaller, else shorter.
 */

import { clip } from "../run/values/format.js";
import { monoWidth, sansWidth } from "../run/values/text-width.js";
import { el } from "./svg.js";

/** @import {Scene} from "./graph-picture.js" */
/** @import {Given, Shape} from "./svg.js" */

/** No text is made smaller than this to fit, in units of the picture. */
const SMALLEST = 13;

/**
 * How large letters are: `least` as the page asks, and whether they may be smaller where a box has no room.
 * @typedef {{least: number, isFixed: boolean}} Letters
 */
/** @typedef {{text: string, size: number}} Fitted */

/**
 * The sizes of letters of a picture: in presenter mode they have a minimum.
 * @param {Pick<Scene, "least" | "layout">} scene
 * @returns {Letters}
 */
export function lettersOf({ least, layout }) {
  return { least, isFixed: layout.measures.terse };
}

/**
 * @param {string} text
 * @param {{size: number, room: number, isSans?: boolean}} place
 *   `size`: of its letters, where no more is asked
 * @param {Letters} letters
 * @param {(most: number) => string} [shortened] to so many letters
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
 * A text that was fitted.
 * @param {Given} given
 * @param {Fitted} fitted
 * @returns {Shape}
 */
export function lettered(given, { text, size }) {
  return el("text", { ...given, "font-size": size }, text);
}
