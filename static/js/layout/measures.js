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

/** The least and the most of the pictures' room that the graph gets where no visitor chose. */
const GRAPH = { least: 0.34, most: 0.62 };

/**
 * About how wide each picture may be on a page of this width; and both together, where their widths decide
 * which gets more.
 * @param {number} width
 * @param {boolean} isAlone whether a picture has the width of the page for itself
 * @param {number} columns the share of the text beside the pictures
 * @param {number | null} pictures the share of the graph beside memory that a visitor chose
 * @returns {{graph: number, memory: number, both: number | null}}
 */
export function paneWidths(width, isAlone, columns, pictures) {
  if (isAlone) return { graph: width - 30, memory: width - 30, both: null };
  const both = (width - 48) * (1 - columns) - 4;
  if (pictures !== null) return { graph: both * pictures, memory: both * (1 - pictures), both: null };
  return { graph: both * GRAPH.most, memory: both * (1 - GRAPH.least), both };
}

/**
 * The width in px of the pane in which a graph is still easy to read: it may be drawn smaller than the cells
 * of memory.
 * @param {number} graph
 */
function leastOf(graph) {
  return graph * 0.85 + 16;
}

/**
 * The width in px that a graph leaves memory, of both together.
 * @param {number} both
 * @param {number} graph
 */
export function leftForMemory(both, graph) {
  return both * Math.max(1 - GRAPH.most, Math.min(1 - GRAPH.least, 1 - leastOf(graph) / both));
}

/**
 * The share of the graph beside memory that suits both pictures, in steps: a run that is hardly another
 * leaves the panes as they are.
 * @param {number} graph width in px
 * @param {number} memory width in px
 */
export function graphShare(graph, memory) {
  const share = leastOf(graph) / (leastOf(graph) + memory);
  return Math.round(50 * Math.max(GRAPH.least, Math.min(GRAPH.most, share))) / 50;
}

/** How wide the column of the code and the story is where no visitor chose, of the page. */
const TEXT = {
  wide: { from: 1800, least: 0.27, most: 0.36, size: 18 },
  usual: { from: 1101, least: 0.3, most: 0.37, size: 14.2 },
  narrow: { from: 0, least: 0.33, most: 0.38, size: 13 },
};
/** What stands beside the code in its pane, in px: line numbers, signs, and room at the end of a line. */
const BESIDE_CODE = 84;

/**
 * The share of that column for code of so many letters: what its lines need, within bounds.
 * @param {number} letters of the longest line
 * @param {number} width of the page
 * @param {number} larger times the plain size of text
 */
export function textShare(letters, width, larger) {
  const { least, most, size } =
    Object.values(TEXT).find(({ from }) => width >= from) ?? /** @type {never} */ (TEXT.narrow);
  const needed = (letters * size * larger * 0.6 + BESIDE_CODE) / (width - 40);
  return Math.round(100 * Math.max(least, Math.min(most, needed))) / 100;
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
