/**
 * Owns how the two pictures of a run share a page: the available space, the measures of each layout, and
 * the size of each pane. Pure: the caller provides the layouts.
 */

import {
  arrangementOf,
  BESIDE,
  besideText,
  BRIEF,
  countedWidth,
  FITTED,
  fittingShare,
  GRAPH,
  graphShare,
  isCut,
  isWholePresented,
  leftForMemory,
  leftPresented,
  measuresFor,
  memoryIn,
  mostBeside,
  narrowerThan,
  paneOf,
  paneWidths,
  PRESENTED,
  presentedArrangement,
  presentedGraph,
  presentedIn,
  roomyPane,
  SPREAD,
  sideShare,
  stackedShare,
  TIGHT,
  TIGHTEST,
  WIDE,
} from "./measures.js";
import { LAST_TEXT, LEAST_PRESENTED_TEXT, LEAST_TEXT, roomyTextShares } from "./text-column.js";

/** @import {Arrangement} from "./measures.js" */
/** @import {GraphLayout, Measures, MemoryLayout} from "../run/types.d.ts" */

/**
 * @typedef {object} Page What decides on the room of a run that stands alone
 * @property {number} width in px
 * @property {number} height
 * @property {boolean} isSmall whether panes stand behind tabs
 * @property {boolean} isAlone whether a picture has the page for itself
 * @property {boolean} isPresented whether both pictures are read from afar
 * @property {boolean} [isPrinting] whether the run printed anything
 * @property {number} columns the share of the text column
 * @property {number} [letters] of the longest line of code: the text gets what the pictures do not need
 * @property {{columns: number | null, pictures: number | null}} chosen the shares that a visitor chose
 * @property {number} larger times the plain size of text
 * @property {number} text the same without what presenter mode adds
 */

/**
 * Px of both pictures next to the text; where its lines are whole, where it has all that it can use, where it
 * shrinks first, and where it shrinks last; times the plain size of text.
 * @typedef {{usual: number, whole: number, least: number, most: number, last: number, larger: number}} Both
 */

/**
 * @typedef {object} Room
 * @property {Measures} measures
 * @property {number} graph width in px above which the graph is laid out narrower
 * @property {number} memory width above which memory is laid out narrower
 * @property {Both | null} both null: it is decided what each gets
 * @property {{width: number, height: number, isPrinting: boolean} | null} presented the page on which they
 *   are read from afar
 * @property {{width: number, larger: number} | null} side of a comparison, in which memory is not cut
 * @property {number | null} last of a side, the most that memory gets: wider than that it is drawn briefly
 * @property {boolean} hasPins whether hidden and pinned names count
 */

/** @typedef {{memory: MemoryLayout, share: number, arrangement: Arrangement}} Shared `share`: of the graph */

/**
 * `room`: once it is decided how both pictures share it, which what a visitor folds or pins leaves as it is.
 * @typedef {Shared & {room: Room}} Arranged
 */

/**
 * @typedef {(measures: Measures, most: number) => MemoryLayout | Promise<MemoryLayout>} MemoryOf
 *   lays memory out within so much width where that is possible
 */

/**
 * The room of a run that stands alone.
 * @param {Page} page
 * @returns {Room}
 */
export function roomOn({
  width,
  height,
  isSmall,
  isAlone,
  isPresented,
  isPrinting = false,
  columns,
  letters = 0,
  chosen,
  larger,
  text,
}) {
  const measures = isPresented ? PRESENTED : measuresFor(width / Math.max(1, text), isSmall);
  const counted = countedWidth(width, isPresented);
  const besideShare = (/** @type {number} */ share) => besideText(counted, chosen.columns ?? share);
  const mostWith = (/** @type {number} */ share) => besideShare(Math.min(columns, share));
  // On a wide page names are shortened before lines of code are.
  const first = isPresented
    ? width >= WIDE
      ? LEAST_PRESENTED_TEXT
      : LEAST_TEXT
    : measures.compact
      ? LEAST_TEXT
      : columns;
  const most = mostWith(first);
  const { both, graph, memory } = paneWidths(counted, isAlone, columns, chosen.pictures);
  const { ofLines, withValues } = isPresented
    ? { ofLines: columns, withValues: columns }
    : roomyTextShares(letters, width, larger);
  return {
    ...{ measures, graph, memory },
    ...(isPresented ? { graph: presentedGraph(most), memory: presentedIn(memory) } : {}),
    both:
      both === null
        ? null
        : {
            ...{ usual: both, whole: besideShare(Math.max(columns, ofLines)) },
            ...{ least: besideShare(Math.max(columns, withValues)), most, last: mostWith(LAST_TEXT), larger },
          },
    presented: isPresented ? { width, height, isPrinting } : null,
    side: null,
    last: null,
    hasPins: true,
  };
}

/** The px of a page next to the two sides of a comparison, and of a side next to its panes. */
const AROUND_SIDES = 40;
const BETWEEN = 8;

/**
 * The space of one side of a comparison.
 * @param {number} width of the page
 * @param {number} larger times the plain size of text
 * @param {boolean} isAlone whether a side shows one part at a time
 * @returns {Room}
 */
export function roomBeside(width, larger, isAlone) {
  const side = (width - AROUND_SIDES) / 2 - (isAlone ? 0 : BETWEEN);
  const last = mostBeside(side, larger, isAlone);
  return {
    ...{ measures: FITTED, graph: Infinity, both: null },
    ...{ presented: null, hasPins: false },
    ...(isAlone ? { memory: last, side: null } : { memory: Infinity, side: { width: side, larger } }),
    last,
  };
}

/**
 * @param {Room} room
 * @param {(measures: Measures) => GraphLayout | Promise<GraphLayout>} graphOf
 */
export async function graphWithin({ measures, graph: most, both, presented }, graphOf) {
  const first = await graphOf(measures);
  const narrower = first.width <= most ? null : narrowerThan(measures);
  const graph = narrower === null ? first : await graphOf(narrower);
  if (presented === null || both === null || presented.width < WIDE) return graph;
  if (isWholePresented(graph, presented, both.most)) return graph;
  const spread = await graphOf(SPREAD);
  return isWholePresented(spread, presented, both.most) ? spread : graph;
}

/**
 * Memory where it is decided which room it has: with the first measures with which it is no wider than that.
 * @param {Room} room
 * @param {MemoryOf} memoryOf
 */
export async function memoryWithin(room, memoryOf) {
  let memory = await roomyOrFitted(room, room.memory, memoryOf);
  const isUsual = room.measures === FITTED || !room.measures.compact;
  for (const closer of isUsual ? [TIGHT, TIGHTEST] : [])
    if (memory.width > room.memory) memory = await memoryOf(closer, room.memory);
  const { last } = room;
  return last !== null && memory.width > last ? memoryOf(BRIEF, last) : memory;
}

/**
 * @param {Room} room
 * @param {number} most
 * @param {MemoryOf} memoryOf
 */
async function roomyOrFitted({ measures }, most, memoryOf) {
  const memory = await memoryOf(measures, measures.compact ? most : Infinity);
  const narrower = memory.width <= most ? null : narrowerThan(measures);
  return narrower === null ? memory : memoryOf(narrower, most);
}

/**
 * Memory to the right of a graph, or below it if a narrow page has no space for both.
 * @param {GraphLayout} graph
 * @param {Room} room
 * @param {number | null} chosen the share of the graph that a visitor chose
 * @param {MemoryOf} memoryOf
 * @returns {Promise<Arranged>}
 */
export async function arranged(graph, room, chosen, memoryOf) {
  const { both, presented, side } = room;
  if (side !== null) return besideAnother(graph, room, side, memoryOf);
  if (both === null) {
    const memory = await memoryWithin(room, memoryOf);
    return { memory, share: chosen ?? 0.5, arrangement: BESIDE, room };
  }
  const shared = await sharedBy(graph, { ...room, both }, memoryOf);
  const { isStacked } = shared.arrangement;
  const width = shared.arrangement.both ?? both.usual;
  const pane = isStacked ? width : width * (1 - shared.share);
  const decided = { ...room, both: null, memory: widthIn(pane, both, presented) };
  if (!isStacked) return { ...shared, room: decided };
  const memory = await memoryWithin(decided, memoryOf);
  const share = presented === null ? stackedShare(graph.height, memory.height) : shared.share;
  return { ...shared, memory, share, room: decided };
}

/**
 * Memory in a side of a comparison: within what the graph leaves, or within its half.
 * @param {GraphLayout} graph
 * @param {Room} room
 * @param {NonNullable<Room["side"]>} side
 * @param {MemoryOf} memoryOf
 * @returns {Promise<Arranged>}
 */
async function besideAnother(graph, room, { width, larger }, memoryOf) {
  const left = Math.max(width - paneOf("graph", graph.width, larger), width * (1 - GRAPH.beside));
  const decided = { ...room, side: null, memory: memoryIn(isDrawn(graph) ? left : width, larger) };
  const memory = await memoryWithin(decided, memoryOf);
  const share = sideShare(width, graph.width, memory.width, larger);
  return { memory, share, arrangement: BESIDE, room: decided };
}

/**
 * @param {GraphLayout} graph
 * @param {Room & {both: Both}} room
 * @param {MemoryOf} memoryOf
 * @returns {Promise<Shared>}
 */
async function sharedBy(graph, room, memoryOf) {
  const { both, measures, presented } = room;
  if (!measures.compact) return sharedOnWide(graph, room, memoryOf);
  if (!isDrawn(graph)) {
    const memory = await roomyOrFitted(room, widthIn(both.usual, both, presented), memoryOf);
    return { memory, ...leavingText(graph, memory, both, { share: 0, arrangement: BESIDE }) };
  }
  if (presented !== null) {
    const left = leftPresented(both.most, graph.width);
    const memory = await roomyOrFitted(room, left, memoryOf);
    const arranged = presentedArrangement(both, graph, memory, presented);
    if (arranged.needed <= both.most) return { memory, ...arranged };
    const closer = await memoryOf(narrowerThan(measures) ?? measures, left);
    return { memory: closer, ...presentedArrangement(both, graph, closer, presented) };
  }
  const { most, larger } = both;
  const memory = await memoryOf(measures, memoryIn(most - paneOf("graph", graph.width, larger), larger));
  const arrangement = arrangementOf(both, graph.width, memory.width, larger);
  const share = fittingShare(graph.width, memory.width, larger);
  return { memory, ...leavingText(graph, memory, both, { arrangement, share }) };
}

/**
 * Both side by side on a wide page; memory is drawn more closely where this leaves whole lines of code.
 * @param {GraphLayout} graph
 * @param {MemoryLayout} memory
 * @param {Both} both
 * @param {number} share
 * @param {MemoryOf} memoryOf
 * @returns {Promise<Shared>}
 */
async function leavingLines(graph, memory, both, share, memoryOf) {
  const shared = leavingText(graph, memory, both, { share, arrangement: BESIDE });
  const taken = shared.arrangement.both ?? both.usual;
  if (taken <= both.whole) return { memory, ...shared };
  const left = both.whole - (isDrawn(graph) ? roomyPane(graph.width, both.larger) : 0);
  const closer = await memoryOf(FITTED, memoryIn(left, both.larger));
  const lines = leavingText(graph, closer, both, { share, arrangement: BESIDE });
  return (lines.arrangement.both ?? both.usual) < taken
    ? { memory: closer, ...lines }
    : { memory, ...shared };
}

/**
 * The same, narrower where the text can use what the pictures do not need.
 * @param {GraphLayout} graph
 * @param {MemoryLayout} memory
 * @param {Both} both
 * @param {{share: number, arrangement: Arrangement}} shared
 */
function leavingText(graph, memory, { usual, least, larger }, shared) {
  const { isStacked, both } = shared.arrangement;
  const first = isDrawn(graph) ? roomyPane(graph.width, larger) : 0;
  const second = roomyPane(memory.width, larger);
  const needed = Math.max(least, isStacked ? Math.max(first, second) : first + second);
  if (both !== null || needed >= usual) return shared;
  return {
    share: isStacked ? shared.share : first / (first + second),
    arrangement: { isStacked, both: needed },
  };
}

/**
 * On a wide page both are side by side. Memory is never cut: if it does not fit, first the text becomes
 * narrower, then long names are shortened, and finally small matrices omit their middle. A graph that does
 * not fit keeps its space for as long as the text can become narrower.
 * @param {GraphLayout} graph
 * @param {Room & {both: Both}} room
 * @param {MemoryOf} memoryOf
 * @returns {Promise<Shared>}
 */
async function sharedOnWide(graph, room, memoryOf) {
  const { usual, most, last, larger } = room.both;
  let memory = await roomyOrFitted(room, leftForMemory(usual, graph.width), memoryOf);
  const share = graphShare(graph.width, memory.width, usual);
  if (!isDrawn(graph) || !isCut(usual * (1 - share), memory.width, larger))
    return leavingLines(graph, memory, room.both, share, memoryOf);
  const first = isDrawn(graph) ? paneOf("graph", graph.width, larger) : 0;
  const left = Math.max(most - first, most * (1 - GRAPH.beforeNames));
  if (paneOf("memory", memory.width, larger) > left) memory = await memoryOf(TIGHT, memoryIn(left, larger));
  const widest = last * (1 - GRAPH.least);
  if (paneOf("memory", memory.width, larger) > widest)
    memory = await memoryOf(TIGHTEST, memoryIn(widest, larger));
  const needed = paneOf("memory", memory.width, larger);
  const isWhole = first + needed <= most;
  const both = isWhole
    ? Math.max(usual, first + needed)
    : Math.min(last, Math.max(most, needed + usual * share, needed / (1 - GRAPH.least)));
  return {
    memory,
    share: isWhole ? first / (first + needed) : Math.max(GRAPH.least, 1 - needed / both),
    arrangement: { isStacked: false, both: both > usual ? both : null },
  };
}

/**
 * The width in units of the memory picture in so many px.
 * @param {number} px
 * @param {Both} both
 * @param {Room["presented"]} presented
 */
function widthIn(px, { larger }, presented) {
  return presented === null ? memoryIn(px, larger) : presentedIn(px);
}

/** @param {GraphLayout} graph */
function isDrawn({ boxes, isOverview }) {
  return boxes.length > 0 || isOverview;
}
