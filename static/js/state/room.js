/**
 * Owns how the panes share the page: what a visitor chose, as long as this browser stores it, and which pane
 * has the page for itself.
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
 * The parts that a splitter divides: the page into text and pictures, the pictures into graph and memory,
 * side by side or stacked, the text into code and story, the pictures' column into them and the pane below.
 * In a comparison: the page into both runs, these into text and pictures, the text into code and story, and
 * the pictures into graph and memory.
 * @typedef {"columns" | "pictures" | "stacked" | "code" | "lower" | ComparedSplit} Split
 */
/** @typedef {"sides" | "upper" | "listing" | "compared"} ComparedSplit */
/** @typedef {"code" | "story" | "graph" | "memory" | "lower"} Pane */

/** The least and the most that either side of a splitter gets, of both together. */
const BOUNDS = { least: 0.05, most: 0.95 };

/**
 * The least that the first and the second side of a splitter get, in px: room for what heads a pane. The
 * style sheet has the same for a page that became smaller.
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
 * The least and the most of a splitter that divides so many px.
 * @param {Split} split
 * @param {number} room
 */
export function boundsOf(split, room) {
  const [first, second] = LEAST[split];
  const least = Math.min(0.5, Math.max(BOUNDS.least, first / room));
  return { least, most: Math.max(least, Math.min(BOUNDS.most, 1 - second / room)) };
}

/** The share of the first side; null: as it is without a visitor's choice. */
export const shares = /** @type {Record<Split, Signal<number | null>>} */ (
  Object.fromEntries(
    /** @type {Split[]} */ (Object.keys(LEAST)).map((split) => [split, signal(stored(split))]),
  )
);

/** Whether a splitter is being dragged: pictures keep their scale until it rests. */
export const isDividing = signal(false);

/**
 * The pane that has the page for itself.
 * @type {Signal<Pane | null>}
 */
export const maximised = signal(null);

/** Width of the page in px. */
export const pageWidth = signal(innerWidth);
addEventListener("resize", () => (pageWidth.value = innerWidth));

/** The picture that has the page for itself. */
export const maximisedPicture = computed(() =>
  maximised.value === "graph" || maximised.value === "memory" ? maximised.value : null,
);

/** What the widths of the pictures depend on, in addition to the run. */
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
 * The least share of the code and the story in presenter mode on a wide page, how much larger the code is
 * there, and the share on other pages.
 */
const PRESENTED = { wide: 0.3, larger: 1.35, others: 0.34 };

/** The letters of the longest line of a run's code. */
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
 * The share of the code and the story: the visitor's, else by the longest line of the run's code.
 * @param {Index} index
 * @param {number | null} [both] width in px of the pictures, where they need more or less than usual
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
 * The same in presenter mode.
 * @param {Index} index
 */
function presentedColumns(index) {
  if (pageWidth.value < WIDE) return PRESENTED.others;
  const needed = textShare(longestLine(index), pageWidth.value, PRESENTED.larger * textScale.value);
  return Math.max(PRESENTED.wide, needed);
}

/**
 * @param {Split} split
 * @param {number | null} share null: as it is without a choice
 */
export function divide(split, share) {
  shares[split].value = share;
  writeStored(`split-${split}`, share === null ? "" : String(share));
}

/**
 * The stored share, of any version of the page; any value but a share within the limits counts as no
 * choice.
 * @param {Split} split
 */
function stored(split) {
  const text = readStored(`split-${split}`) ?? "";
  const share = /^0\.\d{1,9}$/.test(text) ? Number(text) : NaN;
  return share >= BOUNDS.least && share <= BOUNDS.most ? share : null;
}
