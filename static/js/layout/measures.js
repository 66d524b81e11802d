/**
 * Owns the sizes of elements in both pictures (roomy ones, and compact ones for small panes) and the
 * pictures' scales.
 */

/** @import {GraphLayout, Measures} from "../run/types.d.ts" */

/** With these settings small matrices show all cells, and titles are not shortened. */
const WORDY = { isStrict: false, isBrief: false };

/** How the boxes of a graph are arranged; `edge`, `shelf` and `apart` are in px. */
const BOXES = { perRow: 3, edge: 8, shelf: 400, apart: 36 };

/** @type {Measures} */
const ROOMY = {
  compact: false,
  terse: false,
  tag: { height: 28, size: 14, most: 16, tall: 42 },
  card: { width: 178, height: 50, gap: 8 },
  memory: { reach: 30, span: 46, least: 104, beside: 56, across: 244, most: Infinity, ...WORDY },
  grad: 15,
  box: { least: 152, pocket: 134, bucket: 168, across: 0.38, along: 56, ...BOXES },
};
/** @type {Measures} */
const COMPACT = {
  compact: true,
  terse: false,
  tag: { height: 26, size: 13, most: 12, tall: 40 },
  card: { width: 132, height: 50, gap: 8 },
  memory: { reach: 20, span: 30, least: 88, beside: 44, across: 120, most: Infinity, ...WORDY },
  grad: 9,
  box: { least: 126, pocket: 120, bucket: 130, across: 0.24, along: 56, ...BOXES },
};

/** COMPACT for a picture that does not fit its pane, but with the long names and values of ROOMY. */
export const FITTED = { ...COMPACT, tag: ROOMY.tag, grad: ROOMY.grad };

/** FITTED with fewer saved tensors side by side in a box, for a graph that is still too wide. */
export const NARROW = { ...FITTED, box: { ...FITTED.box, perRow: 2 } };

/** Narrower than FITTED: names are shortened to eleven characters, paths to their end. */
export const TIGHT = {
  ...FITTED,
  tag: { ...ROOMY.tag, size: COMPACT.tag.size, most: 11 },
  memory: { ...FITTED.memory, reach: 14, span: 24, beside: 18 },
};

/** The narrowest sizes for a single run: even matrices with few columns omit cells. */
export const TIGHTEST = { ...TIGHT, memory: { ...TIGHT.memory, isStrict: true } };

/**
 * The narrowest sizes, for one side of a comparison. A matrix shows at least one column, even if its numbers
 * are long. Titles are short and cut at the end of their row.
 */
export const BRIEF = {
  ...TIGHTEST,
  tag: { ...TIGHTEST.tag, most: 10 },
  memory: { ...TIGHTEST.memory, beside: 9, isBrief: true },
};

/** Sizes for presenter mode: cells are large, and rows of Nodes are close together to fit the screen. */
export const PRESENTED = {
  ...FITTED,
  terse: true,
  memory: { ...FITTED.memory, reach: 14, span: 24, beside: 18, across: ROOMY.memory.across },
  box: { ...FITTED.box, bucket: 154, across: 0.18, along: 15, edge: 5, apart: 24 },
};

/** PRESENTED with shorter names and values of gradients; the memory picture shows the whole values. */
const TERSE = { ...PRESENTED, tag: COMPACT.tag, grad: COMPACT.grad };

/** PRESENTED with more connected parts of the graph side by side, for a graph that is too high. */
export const SPREAD = { ...PRESENTED, box: { ...PRESENTED.box, shelf: 600 } };

/**
 * The measures that make a graph narrower than the given measures do; null: there are none.
 * @param {Measures} measures
 * @returns {Measures | null}
 */
export function narrowerThan(measures) {
  if (measures === PRESENTED) return TERSE;
  return measures.compact ? null : FITTED;
}

/** The screens with panes in tabs, as in the style sheets: phones, and pages with a large font. */
export const SMALL = "(max-width: 51.25em), (max-height: 31.25em)";

/** The screens on which two compared runs are one above the other: narrow screens that are not low. */
export const STACKED_RUNS = "(max-width: 51.25em) and (min-height: 31.26em), (max-width: 37.49em)";

/** The screens on which a side of a comparison shows one part at a time. */
export const ONE_PART = "(max-width: 1279px), (max-height: 31.25em)";

/**
 * Limits for the graph's share of the width of both pictures. `least`, `most`: the usual minimum and
 * maximum. `beside`: the maximum while the memory picture does not fit next to the graph, because in less
 * than half of the width the memory picture would show names without cells. `roomy`: the share above which
 * the graph's boxes are drawn narrower.
 */
export const GRAPH = { least: 0.34, most: 0.62, beside: 0.5, roomy: 0.45 };

/**
 * The approximate width in px of each picture on a page of a given width. `both`: the total width if the
 * content of the pictures decides how they share it; else null.
 * @param {number} width
 * @param {boolean} isAlone whether a picture has the whole width of the page
 * @param {number} columns the text column's share of the page
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
 * The width of both pictures, in px, if the text column has the given share of a page.
 * @param {number} width of the page
 * @param {number} columns
 */
export function besideText(width, columns) {
  return (width - 48) * (1 - columns) - 4;
}

/**
 * The text column's share of a page's width if both pictures together have the width `both`.
 * @param {number} width of the page
 * @param {number} both
 */
export function textBeside(width, both) {
  return 1 - (both + 4) / (width - 48);
}

/**
 * The minimum width in px of a pane in which a graph of the given width is easy to read. A graph may be
 * scaled down more than the memory picture.
 * @param {number} graph
 */
function leastOf(graph) {
  return graph * 0.85 + 16;
}

/**
 * The width in px that a graph leaves to the memory picture, out of the given width of both pictures.
 * @param {number} both
 * @param {number} graph
 */
export function leftForMemory(both, graph) {
  return both * Math.max(1 - GRAPH.beside, Math.min(1 - GRAPH.least, 1 - leastOf(graph) / both));
}

/**
 * The minimum scale of each picture. At its minimum scale, the memory picture's 12.5 px text is 12 px high.
 * In a graph that is scaled down, text is enlarged in compensation. A graph that is wider than the whole
 * page is scaled down to `wideGraph`.
 */
export const LEAST_SCALE = { graph: 0.8, memory: 0.96, wideGraph: 0.7 };

/**
 * The width in px that a pane needs in addition to its picture: borders, margin and the vertical scroll bar.
 */
const BESIDE_PICTURE = 18;

/** The minimum width in px of each of two adjacent panes, as in the style sheet. */
const LEAST_PANE = 245;

/**
 * The width in px at which a picture's pane needs no horizontal scrolling.
 * @param {"graph" | "memory"} name
 * @param {number} width of the picture
 * @param {number} larger size of text relative to the default
 */
export function paneOf(name, width, larger) {
  return Math.max(LEAST_PANE, width * LEAST_SCALE[name] * larger + BESIDE_PICTURE);
}

/**
 * The width in px of a pane in which a picture is drawn at scale 1.
 * @param {number} width of the picture
 * @param {number} larger size of text relative to the default
 */
export function roomyPane(width, larger) {
  return Math.max(LEAST_PANE, width * larger + BESIDE_PICTURE);
}

/** The width in px of a pane that the picture cannot use: borders and the scroll bar. */
const EDGES = 10;

/** The minimum number of boxes for which a graph without groups has a minimap. */
const LEAST_BOXES = 40;

/** The width in px of a minimap next to its picture, as in the style sheet. */
export const MINIMAP = 52;

/**
 * Whether a run's graph has a minimap. This does not depend on the scale or on folded groups, so the pane of
 * the graph keeps its width.
 * @param {GraphLayout} layout
 */
export function hasMinimap({ groups, boxes }) {
  return groups.length > 0 || boxes.length >= LEAST_BOXES;
}

/**
 * How a run's two pictures are placed: stacked, or side by side. `both`: the pictures' total width in px if
 * the text column shrinks to make room for it; else null.
 * @typedef {{isStacked: boolean, both: number | null}} Arrangement
 */

/**
 * The arrangement on a page that has room for both pictures side by side.
 * @type {Arrangement}
 */
export const BESIDE = { isStacked: false, both: null };

/**
 * Chooses an arrangement without horizontal scrolling: both pictures side by side, if possible next to a
 * text column of the usual width, or else stacked.
 * @param {{usual: number, most: number}} both px of both pictures; `most`: with the narrowest text
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
 * The graph's share of the width of both pictures, in proportion to the width that each picture needs.
 * @param {number} graph width of the picture
 * @param {number} memory
 * @param {number} larger
 */
function fittingShare(graph, memory, larger) {
  const needed = paneOf("graph", graph, larger);
  return needed / (needed + paneOf("memory", memory, larger));
}

/**
 * The graph's share of the width of one side of a comparison. If the side is too narrow for both pictures,
 * the memory picture gets the width that it needs, as far as possible.
 * @param {number} side px of both panes
 * @param {number} graph width of the picture
 * @param {number} memory
 * @param {number} larger
 */
export function sideShare(side, graph, memory, larger) {
  const least = 1 - paneOf("memory", memory, larger) / side;
  return Math.max(LEAST_BESIDE, Math.min(fittingShare(graph, memory, larger), least, GRAPH.most));
}

/** The graph's minimum share of the width of one side of a comparison. */
const LEAST_BESIDE = 0.24;

/**
 * The maximum width of memory in a side of a comparison, in units of the picture.
 * @param {number} side in px
 * @param {number} larger size of text relative to the default
 * @param {boolean} isAlone whether the side shows one part at a time
 */
export function mostBeside(side, larger, isAlone) {
  return (side * (isAlone ? 1 : 1 - LEAST_BESIDE) - EDGES) / (LEAST_SCALE.memory * larger);
}

/** The minimum share of each of two stacked pictures. */
const STACKED = 0.38;

/**
 * The graph's share of the height of two stacked pictures.
 * @param {number} graph height of the picture
 * @param {number} memory
 */
export function stackedShare(graph, memory) {
  const needed = (graph * LEAST_SCALE.graph) / (graph * LEAST_SCALE.graph + memory * LEAST_SCALE.memory);
  return Math.round(50 * Math.max(STACKED, Math.min(1 - STACKED, needed))) / 50;
}

/**
 * The width of memory, in picture units, in a pane of `width` px.
 * @param {number} width
 * @param {number} larger
 */
export function memoryIn(width, larger) {
  return (width - BESIDE_PICTURE) / (LEAST_SCALE.memory * larger);
}

/**
 * The width of a graph, in picture units, that fits a pane of `width` px without horizontal scrolling.
 * @param {number} width
 * @param {number} larger
 */
export function graphIn(width, larger) {
  return (width - BESIDE_PICTURE) / (LEAST_SCALE.graph * larger);
}

/** The maximum scale of a picture: a picture drawn larger would not be easier to read. */
const MOST_SCALE = { usual: 1.2, wide: 1.5 };

/**
 * Scales in presenter mode. At a picture's minimum scale, text is at least 20 px high and cells are at least
 * 40 px high. At a scale above `most`, a picture is not easier to read.
 */
export const PRESENTED_SCALE = { graph: 1.334, memory: 1.494, most: 2.1 };

/** The minimum width in px of a wide page. */
export const WIDE = 1800;

/**
 * The width in px with which a page enters the calculations. In presenter mode it is larger than the real
 * width of a wide page, because the gaps between panes are narrower.
 * @param {number} width
 * @param {boolean} isPresented
 */
export function countedWidth(width, isPresented) {
  return isPresented && width >= WIDE ? width + 24 : width;
}

/**
 * @typedef {object} Drawn How a picture is drawn in its pane
 * @property {number} width of the page in px
 * @property {number} larger size of text relative to the default
 * @property {number} [text] `larger` without the increase of presenter mode, which applies to any pane
 * @property {boolean} [isShort] whether the pane is wide and low, so that the picture is drawn small
 * @property {boolean} [isPresented] whether the page is in presenter mode
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
 * The scale of a picture in presenter mode: the whole picture is visible if it is readable at that scale.
 * @param {"graph" | "memory"} name
 * @param {{across: number, down: number}} fits
 * @param {number} times size of text relative to the default
 */
function presentedScale(name, { across, down }, times) {
  const least = PRESENTED_SCALE[name];
  return Math.max(least, Math.min(PRESENTED_SCALE.most * times, across, Math.max(down, least * times)));
}

/** The minimum and maximum of the graph's share of the width of both pictures in presenter mode. */
const GRAPH_SHARE = { least: 0.28, most: 0.6 };
/** The maximum share of the height that one of two stacked pictures gets. */
const STACKED_MOST = 0.7;
/** The width in px that a pane needs in presenter mode in addition to its picture. */
const PANE_EDGE = 12;

/**
 * The width of memory, in picture units, in a pane of `width` px in presenter mode.
 * @param {number} width
 */
export function presentedIn(width) {
  return (width - PANE_EDGE) / PRESENTED_SCALE.memory;
}

/**
 * The width in picture units of a graph that uses half of the pictures' width in presenter mode.
 * @param {number} both px
 */
export function presentedGraph(both) {
  return (both / 2 - PANE_EDGE) / PRESENTED_SCALE.graph;
}

/**
 * The width in picture units that a graph leaves to the memory picture in presenter mode, out of `both` px.
 * @param {number} both
 * @param {number} graph
 */
export function leftPresented(both, graph) {
  const share = (graph * PRESENTED_SCALE.graph + PANE_EDGE) / both;
  return presentedIn(both * (1 - Math.max(GRAPH_SHARE.least, Math.min(0.45, share))));
}

/**
 * Heights in px on a wide page in presenter mode: everything above and below the pictures, and the line with
 * the snippet's output.
 */
const AROUND = { pictures: 180, output: 52 };

/**
 * The maximum height in px of a graph in presenter mode on a wide page.
 * @param {{height: number, isPrinting: boolean}} page
 */
export function presentedHeight({ height, isPrinting }) {
  return height - AROUND.pictures - (isPrinting ? AROUND.output : 0);
}

/**
 * Whether a graph fits a wide page in presenter mode without scrolling.
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

/** The approximate share of the page's height that a picture gets in presenter mode. */
const PRESENTED_HEIGHT = 0.72;

/**
 * Two widths in px of a picture's pane in presenter mode: the width at which the picture is just readable,
 * and the width at which it is as high as its pane.
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
 * The arrangement of the pictures in presenter mode, and the graph's share of their width. Each picture gets
 * the width that makes it readable, and a part of the remaining width.
 * @param {{usual: number, most: number}} both px of both pictures; `most`: with the narrowest text
 * @param {Size} graph
 * @param {Size} memory
 * @param {Size} page
 * @returns {{arrangement: Arrangement, share: number, needed: number}} `needed`: px of both pictures side by
 *   side
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

/** The height in px above a picture in its pane in presenter mode. */
const HEAD = 48;

/**
 * The graph's share of the height of both pictures: half, unless one picture needs less.
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
 * The graph's share of the width of both pictures, from the widths that each picture needs (see `neededBy`).
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
 * Chooses the roomy or the compact sizes for a page of the given width in px, at the default size of text.
 * @param {number} width
 * @param {boolean} [isSmall] whether the panes are in tabs
 * @returns {Measures}
 */
export function measuresFor(width, isSmall = false) {
  return width < 1180 && !isSmall ? COMPACT : ROOMY;
}
