/**
 * Owns the sizes that layouts reserve and pictures draw: roomy, and compact for the panes of a small screen.
 */

/** @import {Measures} from "../run/types.d.ts" */

/** @type {Measures} */
const ROOMY = {
  compact: false,
  tag: { height: 28, size: 14, most: 16, tall: 42 },
  card: { width: 178, height: 50, gap: 8 },
  memory: { reach: 30, span: 46, least: 104, beside: 56, most: Infinity },
  grad: 15,
  box: { least: 152, pocket: 134, bucket: 168, across: 0.38, edge: 8 },
};
/** @type {Measures} */
const COMPACT = {
  compact: true,
  tag: { height: 26, size: 13, most: 12, tall: 40 },
  card: { width: 132, height: 50, gap: 8 },
  memory: { reach: 20, span: 30, least: 88, beside: 44, most: Infinity },
  grad: 9,
  box: { least: 126, pocket: 120, bucket: 130, across: 0.24, edge: 8 },
};

/** Compact shapes for a picture that does not fit its pane, with the room for values of a large page. */
export const FITTED = { ...COMPACT, tag: ROOMY.tag, grad: ROOMY.grad };

/** The screens on which panes are behind tabs, as in the style sheets: phones in both orientations. */
export const SMALL = "(max-width: 820px), (max-height: 500px)";

/**
 * About how wide each picture is on a page of this width.
 * @param {number} width
 * @param {boolean} isSmall whether panes stand behind tabs
 * @param {number} columns the share of the text beside the pictures
 * @param {number} pictures the share of the graph beside memory
 */
export function paneWidths(width, isSmall, columns, pictures) {
  if (isSmall) return { graph: width - 30, memory: width - 30 };
  const both = (width - 48) * (1 - columns) - 4;
  return { graph: both * pictures, memory: both * (1 - pictures) };
}

/**
 * The sizes for a page of this width in px.
 * @param {number} width
 * @param {boolean} [isSmall] whether panes stand behind tabs
 * @returns {Measures}
 */
export function measuresFor(width, isSmall = false) {
  return width < 1180 && !isSmall ? COMPACT : ROOMY;
}
