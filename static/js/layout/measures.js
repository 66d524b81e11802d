/**
 * Owns the sizes that layouts reserve and pictures draw: roomy, and compact for the panes of a small screen.
 */

/** @import {GraphLayout, Measures} from "../run/types.d.ts" */

/** All cells of small matrices, and whole titles. */
const WORDY = { isStrict: false, isBrief: false };

/** @type {Measures} */
const ROOMY = {
  compact: false,
  terse: false,
  tag: { height: 28, size: 14, most: 16, tall: 42 },
  card: { width: 178, height: 50, gap: 8 },
  memory: { reach: 30, span: 46, least: 104, beside: 56, across: 244, most: Infinity, ...WORDY },
  grad: 15,
  box: { least: 152, pocket: 134, bucket: 168, across: 0.38, along: 56, edge: 8, shelf: 400, apart: 36 },
};
/** @type {Measures} */
const COMPACT = {
  compact: true,
  terse: false,
  tag: { height: 26, size: 13, most: 12, tall: 40 },
  card: { width: 132, height: 50, gap: 8 },
  memory: { reach: 20, span: 30, least: 88, beside: 44, across: 120, most: Infinity, ...WORDY },
  grad: 9,
  box: { least: 126, pocket: 120, bucket: 130, across: 0.24, along: 56, edge: 8, shelf: 400, apart: 36 },
};

/** Compact shapes for a picture that does not fit its pane, with the room for values of a large page. */
export const FITTED = { ...COMPACT, tag: ROOMY.tag, grad: ROOMY.grad };

/** Closer still: a name has at least eleven letters, and a path its end. */
export const TIGHT = {
  ...FITTED,
  tag: { ...ROOMY.tag, size: COMPACT.tag.size, most: 11 },
  memory: { ...FITTED.memory, reach: 14, span: 24, beside: 18 },
};

/** At last cells are left out of matrices with few columns, too. */
export const TIGHTEST = { ...TIGHT, memory: { ...TIGHT.memory, isStrict: true } };

/**
 * In a side of a comparison: a matrix keeps one column for numbers of any width, titles are short and end
 * with their row.
 */
export const BRIEF = {
  ...TIGHTEST,
  tag: { ...TIGHTEST.tag, most: 10 },
  memory: { ...TIGHTEST.memory, beside: 9, isBrief: true },
};

/** The same, to be read from afar: cells are large, and rows of Nodes closer, so that more of them are. */
export const PRESENTED = {
  ...FITTED,
  terse: true,
  memory: { ...FITTED.memory, reach: 14, span: 24, beside: 18, across: ROOMY.memory.across },
  box: { ...FITTED.box, bucket: 154, across: 0.18, along: 15, edge: 5, apart: 24 },
};

/** The same with shorter names, and without values of gradients that memory shows completely. */
const TERSE = { ...PRESENTED, tag: COMPACT.tag, grad: COMPACT.grad };

/** Its parts side by side, if they are too high one above the other. */
export const SPREAD = { ...PRESENTED, box: { ...PRESENTED.box, shelf: 600 } };

/**
 * Narrower shapes than these, where there are any.
 * @param {Measures} measures
 * @returns {Measures | null}
 */
export function narrowerThan(measures) {
  if (measures === PRESENTED) return TERSE;
  return measures.compact ? null : FITTED;
}

/** The screens on which panes are behind tabs, as in the style sheets: phones, and pages of large letters. */
export const SMALL = "(max-width: 51.25em), (max-height: 31.25em)";

/** The screens on which two runs stand one above the other: narrow ones that are not low. */
export const STACKED_RUNS = "(max-width: 51.25em) and (min-height: 31.26em), (max-width: 37.49em)";

/** The screens on which a side of a comparison shows one part at a time. */
export const ONE_PART = "(max-width: 1279px), (max-height: 31.25em)";

/**
 * The least and the most of the pictures' space that the graph gets by default. The most applies while
 * memory does not fit next to it: with less than half of the space memory would show names without cells.
 * `roomy`: the most that it gets before its boxes are drawn narrower.
 */
export const GRAPH = { least: 0.34, most: 0.62, beside: 0.5, roomy: 0.45 };

/**
 * The approximate width of each picture on a page of this width, and of both together if their widths
 * decide the split.
 * @param {number} width
 * @param {boolean} isAlone whether a picture has the whole width of the page
 * @param {number} columns the share of the text column
 * @param {number | null} pictures the share of the graph that a visitor chose
 * @returns {{graph: number, memory: number, both: number | null}}
 */
export function paneWidths(width, isAlone, columns, pictures) {
  if (isAlone) return { graph: width - 30, memory: width - 30, both: null };
  const both = besideText(width, columns);
  if (pictures !== null) return { graph: both * pictures, memory: both * (1 - pictures), both: null };
  return { graph: both * GRAPH.most, memory: both * (1 - GRAPH.least), both };
}

/**
 * The width in px of both pictures if the text has this share of a page.
 * @param {number} width of the page
 * @param {number} columns
 */
export function besideText(width, columns) {
  return (width - 48) * (1 - columns) - 4;
}

/**
 * The share of the text if both pictures have this width together.
 * @param {number} width of the page
 * @param {number} both
 */
export function textBeside(width, both) {
  return 1 - (both + 4) / (width - 48);
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
  return both * Math.max(1 - GRAPH.beside, Math.min(1 - GRAPH.least, 1 - leastOf(graph) / both));
}

/**
 * The smallest scale of each picture: text of 12.5 px stays at 12, and the graph's text grows instead. A
 * picture that is too wide even without the text column is scaled further down.
 */
export const LEAST_SCALE = { graph: 0.8, memory: 0.96, wideGraph: 0.7 };

/** The px of a pane in addition to its picture: borders, margin, and the vertical scroll bar. */
const BESIDE_PICTURE = 18;

/** The least width in px of either of two adjacent panes, as in the style sheet. */
const LEAST_PANE = 245;

/**
 * How wide the pane of a picture is that needs no scrolling sideways.
 * @param {"graph" | "memory"} name
 * @param {number} width of the picture
 * @param {number} larger times the plain size of text
 */
export function paneOf(name, width, larger) {
  return Math.max(LEAST_PANE, width * LEAST_SCALE[name] * larger + BESIDE_PICTURE);
}

/**
 * The px of a pane in which a picture has its plain size.
 * @param {number} width of the picture
 * @param {number} larger times the plain size of text
 */
export function roomyPane(width, larger) {
  return Math.max(LEAST_PANE, width * larger + BESIDE_PICTURE);
}

/** What of it nothing can be drawn in: borders and the bar. */
const EDGES = 10;

/** A graph without groups and with fewer boxes has no minimap. */
const LEAST_BOXES = 40;

/** The px of a minimap next to its picture, as in the style sheet. */
export const MINIMAP = 52;

/**
 * Whether a run's graph has one, at any scale and folding: so its pane keeps its width.
 * @param {GraphLayout} layout
 */
export function hasMinimap({ groups, boxes }) {
  return groups.length > 0 || boxes.length >= LEAST_BOXES;
}

/**
 * How the pictures of a run are placed on a page: side by side or stacked, and their total width in px if
 * the text becomes narrower for them; null: it does not.
 * @typedef {{isStacked: boolean, both: number | null}} Arrangement
 */

/**
 * The one of a page with room for both.
 * @type {Arrangement}
 */
export const BESIDE = { isStacked: false, both: null };

/**
 * The first arrangement in which neither picture is scrolled sideways, or the last.
 * @param {{usual: number, most: number}} both px of both pictures; `most`: where the text gives way
 * @param {number[]} panes px of both panes
 * @returns {Arrangement}
 */
export function arrangementOf({ usual, most }, panes) {
  const beside = panes.reduce((all, width) => all + width, 0);
  const isStacked = beside > most;
  const needed = isStacked ? Math.min(most, Math.max(...panes)) : beside;
  return { isStacked, both: needed > usual ? needed : null };
}

/**
 * The share of the graph if both fit: the remaining space is distributed by need.
 * @param {number} graph width of the picture
 * @param {number} memory
 * @param {number} larger
 */
function fittingShare(graph, memory, larger) {
  const needed = paneOf("graph", graph, larger);
  return needed / (needed + paneOf("memory", memory, larger));
}

/**
 * The share of the graph of a side of a comparison: of what does not fit, memory is whole.
 * @param {number} side px of both panes
 * @param {number} graph width of the picture
 * @param {number} memory
 * @param {number} larger
 */
export function sideShare(side, graph, memory, larger) {
  const least = 1 - paneOf("memory", memory, larger) / side;
  return Math.max(LEAST_BESIDE, Math.min(fittingShare(graph, memory, larger), least, GRAPH.most));
}

/** The least share of a graph in a side of a comparison. */
const LEAST_BESIDE = 0.24;

/**
 * The most that memory gets in a side of a comparison, in units of the picture.
 * @param {number} side in px
 * @param {number} larger times the plain size of text
 * @param {boolean} isAlone whether the side shows one part at a time
 */
export function mostBeside(side, larger, isAlone) {
  return (side * (isAlone ? 1 : 1 - LEAST_BESIDE) - EDGES) / (LEAST_SCALE.memory * larger);
}

/** The least share of either of two stacked pictures. */
const STACKED = 0.38;

/**
 * The share of the graph of the height of both.
 * @param {number} graph height of the picture
 * @param {number} memory
 */
export function stackedShare(graph, memory) {
  const needed = (graph * LEAST_SCALE.graph) / (graph * LEAST_SCALE.graph + memory * LEAST_SCALE.memory);
  return Math.round(50 * Math.max(STACKED, Math.min(1 - STACKED, needed))) / 50;
}

/**
 * The width in picture units that is left for memory in so many px.
 * @param {number} width
 * @param {number} larger
 */
export function memoryIn(width, larger) {
  return (width - BESIDE_PICTURE) / (LEAST_SCALE.memory * larger);
}

/**
 * The width in picture units of a graph that needs no scrolling sideways in so many px.
 * @param {number} width
 * @param {number} larger
 */
export function graphIn(width, larger) {
  return (width - BESIDE_PICTURE) / (LEAST_SCALE.graph * larger);
}

/** The largest scale of a picture, and that on a wide page: beyond these it is no clearer. */
const MOST_SCALE = { usual: 1.2, wide: 1.5 };

/**
 * In presenter mode the least scale of either picture: at these all letters are 20 px high or more, cells
 * 40 px or more, and no smaller than elsewhere. Beyond the most a picture is no clearer.
 */
export const PRESENTED_SCALE = { graph: 1.334, memory: 1.494, most: 2.1 };

/** A page of this width in px has room for more. */
export const WIDE = 1800;

/**
 * The width of a page in px; in presenter mode a wide page counts for more, for its gaps are narrower.
 * @param {number} width
 * @param {boolean} isPresented
 */
export function countedWidth(width, isPresented) {
  return isPresented && width >= WIDE ? width + 24 : width;
}

/**
 * @typedef {object} Drawn How a picture is drawn in its pane
 * @property {number} width of the page in px
 * @property {number} larger times the plain size of text
 * @property {number} [text] the same without what presenter mode adds: so large it is in any pane
 * @property {boolean} [isShort] whether it has much width and little height: then it is drawn small
 * @property {boolean} [isPresented] whether it is read from afar
 */

/**
 * The scale of a picture in its pane.
 * @param {"graph" | "memory"} name
 * @param {{across: number, down: number}} fits the scales at which its width and its height fit
 * @param {Drawn} drawn
 */
export function scaleOf(name, fits, { width, larger, text = 1, isShort = false, isPresented = false }) {
  if (isPresented) return presentedScale(name, fits, Math.max(1, text));
  const { across, down } = fits;
  const most = larger * MOST_SCALE[width >= WIDE ? "wide" : "usual"];
  const times = Math.max(1, text);
  const least = LEAST_SCALE[name] * times;
  const usual = name === "memory" || isShort ? LEAST_SCALE[name] : 1;
  const wanted = Math.min(most, across, Math.max(down, larger * usual));
  const isWide = name === "graph" && isShort;
  return Math.max(isWide ? Math.max(LEAST_SCALE.wideGraph, Math.min(least, across)) : least, wanted);
}

/**
 * In presenter mode all of a picture is shown, where that can be read.
 * @param {"graph" | "memory"} name
 * @param {{across: number, down: number}} fits
 * @param {number} times the plain size of text
 */
function presentedScale(name, { across, down }, times) {
  const least = PRESENTED_SCALE[name];
  return Math.max(least, Math.min(PRESENTED_SCALE.most * times, across, Math.max(down, least * times)));
}

/** The least and the most of the pictures' room that the graph gets in presenter mode. */
const GRAPH_SHARE = { least: 0.28, most: 0.6 };
/** The most of their height that either gets where they stand one above the other. */
const STACKED_MOST = 0.7;
/** The px of a pane there in addition to its picture. */
const PANE_EDGE = 12;

/**
 * The width in picture units that memory has in so many px in presenter mode.
 * @param {number} width
 */
export function presentedIn(width) {
  return (width - PANE_EDGE) / PRESENTED_SCALE.memory;
}

/**
 * The width in picture units at which a graph leaves memory half of both.
 * @param {number} both px
 */
export function presentedGraph(both) {
  return (both / 2 - PANE_EDGE) / PRESENTED_SCALE.graph;
}

/**
 * The width in picture units that a graph of this width leaves memory, of both together.
 * @param {number} both
 * @param {number} graph
 */
export function leftPresented(both, graph) {
  const share = (graph * PRESENTED_SCALE.graph + PANE_EDGE) / both;
  return presentedIn(both * (1 - Math.max(GRAPH_SHARE.least, Math.min(0.45, share))));
}

/** What stands above and below pictures in presenter mode on a wide page, and the line of the output, px. */
const AROUND = { pictures: 180, output: 52 };

/**
 * How high a graph may be in presenter mode on a wide page, in px.
 * @param {{height: number, isPrinting: boolean}} page
 */
export function presentedHeight({ height, isPrinting }) {
  return height - AROUND.pictures - (isPrinting ? AROUND.output : 0);
}

/**
 * Whether a graph is whole there, unless memory needs more of the width than this leaves.
 * @param {Size} graph
 * @param {{height: number, isPrinting: boolean}} page
 * @param {number} both px of both pictures
 */
export function isWholePresented(graph, page, both) {
  return (
    graph.height * PRESENTED_SCALE.graph <= presentedHeight(page) &&
    graph.width * PRESENTED_SCALE.graph + PANE_EDGE <= both * GRAPH_SHARE.most
  );
}

/** @typedef {{width: number, height: number}} Size */

/** The part of the page's height that a picture has in presenter mode, about. */
const PRESENTED_HEIGHT = 0.72;

/**
 * The px that a picture needs next to the other in presenter mode: to be readable, and to be as high as its
 * pane.
 * @param {"graph" | "memory"} name
 * @param {Size} picture
 * @param {Size} page
 * @returns {[number, number]}
 */
function neededBy(name, picture, page) {
  const least = PRESENTED_SCALE[name];
  const down = (page.height * PRESENTED_HEIGHT) / picture.height;
  const needed = (/** @type {number} */ scale) => picture.width * scale + PANE_EDGE;
  return [needed(least), needed(Math.max(least, Math.min(PRESENTED_SCALE.most, down)))];
}

/**
 * How both pictures are placed in presenter mode, and the share of the graph: each gets its minimum to be
 * readable, and a part of the rest to grow.
 * @param {{usual: number, most: number}} both px of both pictures; `most`: where the text gives way
 * @param {Size} graph
 * @param {Size} memory
 * @param {Size} page
 * @returns {{arrangement: Arrangement, share: number, needed: number}} `needed`: px of both side by side
 */
export function presentedArrangement({ usual, most }, graph, memory, page) {
  const [one, other] = [neededBy("graph", graph, page), neededBy("memory", memory, page)];
  const needed = one[0] + other[0];
  const isStacked = page.width < WIDE && needed > most;
  const wanted = isStacked ? Math.max(one[0], other[0]) : needed;
  const both = wanted > usual ? Math.min(most, wanted) : null;
  const share = isStacked
    ? sharedDown(graph.height, memory.height, page)
    : sharedBy(one, other, both ?? usual);
  return { arrangement: { isStacked, both }, share, needed };
}

/** What stands above a picture in its pane there, in px. */
const HEAD = 48;

/**
 * The share of the graph of the height of both: half of it, where neither needs less.
 * @param {number} graph height of the picture
 * @param {number} memory
 * @param {Size} page
 */
function sharedDown(graph, memory, { height }) {
  const both = height * PRESENTED_HEIGHT;
  const first = (graph * PRESENTED_SCALE.graph + HEAD) / both;
  const second = (memory * PRESENTED_SCALE.memory + HEAD) / both;
  return Math.max(1 - STACKED_MOST, Math.min(STACKED_MOST, first < 0.5 ? first : Math.max(0.5, 1 - second)));
}

/**
 * The share of the first of two that need these px.
 * @param {[number, number]} one
 * @param {[number, number]} other
 * @param {number} both
 */
function sharedBy([one, oneMore], [other, otherMore], both) {
  const rest = both - one - other;
  const [first, second] = [oneMore - one, otherMore - other];
  const given = first + second > 0 ? (rest * first) / (first + second) : rest / 2;
  const share = rest < 0 ? 1 - other / both : (one + given) / both;
  return Math.max(GRAPH_SHARE.least, Math.min(GRAPH_SHARE.most, share));
}

/**
 * The sizes for a page of this width in px, in letters of the usual size.
 * @param {number} width
 * @param {boolean} [isSmall] whether panes stand behind tabs
 * @returns {Measures}
 */
export function measuresFor(width, isSmall = false) {
  return width < 1180 && !isSmall ? COMPACT : ROOMY;
}
