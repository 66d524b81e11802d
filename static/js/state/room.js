/**
 * Owns how the panes divide the page: the positions of splitters, which are kept in the browser's storage,
 * and the maximised pane.
 */

import { computed, signal } from "../../vendor/ui.js";
import { readStored, writeStored } from "../io/browser-storage.js";
import { countedWidth, textBeside, WIDE } from "../layout/measures.js";
import { roomyTextShares, textShare } from "../layout/text-column.js";
import { perTrace } from "../run/per-run.js";
import { columnsOf } from "../run/values/text-width.js";
import { isPresenting, scale, textScale } from "./preferences.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {Index} from "../run/types.d.ts" */

/**
 * A splitter, by the parts that it divides:
 * - `columns`: the page into text and pictures;
 * - `pictures`, `stacked`: the pictures into graph and memory, side by side or stacked;
 * - `code`: the text into code and story;
 * - `lower`: the column of the pictures into the pictures and the pane below.
 *
 * In a comparison:
 * - `sides`: the page into both runs;
 * - `upper`: each run into text and pictures;
 * - `listing`: the text into code and story;
 * - `compared`: the pictures into graph and memory.
 * @typedef {"columns" | "pictures" | "stacked" | "code" | "lower" | ComparedSplit} Split
 */
/** @typedef {"sides" | "upper" | "listing" | "compared"} ComparedSplit */
/** @typedef {"code" | "story" | "graph" | "memory" | "lower"} Pane */

/** The minimum and maximum share that either side of a splitter can have of the space. */
const BOUNDS = { least: 0.05, most: 0.95 };

/**
 * The minimum size in px of the first and the second side of a splitter, so that the header of a pane fits.
 * The style sheet contains the same minimum sizes, which apply when the window becomes smaller.
 * @type {Record<Split, [number, number]>}
 */
const LEAST = {
  columns: [230, 500],
  pictures: [240, 250],
  stacked: [110, 110],
  code: [96, 96],
  lower: [170, 90],
  sides: [330, 330],
  upper: [84, 120],
  listing: [110, 110],
  compared: [130, 130],
};

/**
 * The minimum and maximum share that the first side of a splitter can have of a space of `room` px.
 * @param {Split} split
 * @param {number} room both sides together, in px
 */
export function boundsOf(split, room) {
  const [first, second] = LEAST[split];
  const least = Math.min(0.5, Math.max(BOUNDS.least, first / room));
  return { least, most: Math.max(least, Math.min(BOUNDS.most, 1 - second / room)) };
}

/**
 * The share of the space that the first side of each splitter has; null if the visitor did not move the
 * splitter.
 */
export const shares = /** @type {Record<Split, Signal<number | null>>} */ (
  Object.fromEntries(
    /** @type {Split[]} */ (Object.keys(LEAST)).map((split) => [split, signal(stored(split))]),
  )
);

/** Whether a splitter is being dragged. Pictures keep their scale until the splitter is released. */
export const isDividing = signal(false);

/**
 * The maximised pane, which fills the page; null if no pane is maximised.
 * @type {Signal<Pane | null>}
 */
export const maximised = signal(null);

/** The width of the page in px. */
export const pageWidth = signal(innerWidth);
addEventListener("resize", () => (pageWidth.value = innerWidth));

/** The maximised picture, which fills the page; null if no picture is maximised. */
export const maximisedPicture = computed(() =>
  maximised.value === "graph" || maximised.value === "memory" ? maximised.value : null,
);

/**
 * A string that changes whenever the pictures' widths may change: it contains all values that determine
 * them, except the run.
 */
export const widthsOfPage = computed(() =>
  [
    pageWidth.value,
    textScale.value,
    shares.columns.value,
    shares.pictures.value,
    maximisedPicture.value,
  ].join(" "),
);

/**
 * Sizes of the column with code and story in presenter mode. `wide`: the minimum share of a wide page;
 * `larger`: the factor by which its text is enlarged on a wide page; `others`: the share of other pages.
 */
const PRESENTED = { wide: 0.3, larger: 1.35, others: 0.34 };

/** The number of columns of the longest line of a run's code. */
export const longestLine = perTrace(({ source }) =>
  source.split("\n").reduce(
    (most, line) =>
      Math.max(
        most,
        [...line].reduce((all, letter) => all + columnsOf(letter), 0),
      ),
    0,
  ),
);

/**
 * The share of the page's width for the column with code and story: the visitor's choice, or else computed
 * from the longest line of code.
 * @param {Index} index
 * @param {number | null} [both] width in px that the pictures need, if it differs from the usual width
 */
export function columnsFor(index, both = null) {
  const usual = isPresenting.value
    ? presentedColumns(index)
    : textShare(longestLine(index), pageWidth.value, scale.value);
  if (shares.columns.value !== null || both === null) return shares.columns.value ?? usual;
  const most = isPresenting.value
    ? usual
    : roomyTextShares(longestLine(index), pageWidth.value, scale.value).withValues;
  return Math.min(most, textBeside(countedWidth(pageWidth.value, isPresenting.value), both));
}

/**
 * The share of the page's width for the column with code and story in presenter mode.
 * @param {Index} index
 */
function presentedColumns(index) {
  if (pageWidth.value < WIDE) return PRESENTED.others;
  const needed = textShare(longestLine(index), pageWidth.value, PRESENTED.larger * textScale.value);
  return Math.max(PRESENTED.wide, needed);
}

/**
 * @param {Split} split
 * @param {number | null} share null: the visitor's choice is removed
 */
export function divide(split, share) {
  shares[split].value = share;
  writeStored(`split-${split}`, share === null ? "" : String(share));
}

/**
 * The stored position of a splitter; null if none is stored or the value is invalid.
 * @param {Split} split
 */
function stored(split) {
  const text = readStored(`split-${split}`) ?? "";
  const share = /^0\.\d{1,9}$/.test(text) ? Number(text) : NaN;
  return share >= BOUNDS.least && share <= BOUNDS.most ? share : null;
}
