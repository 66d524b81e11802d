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
  GRAPH,
  graphIn,
  hasMinimap,
  isWholePresented,
  leftForMemory,
  leftPresented,
  measuresFor,
  memoryIn,
  MINIMAP,
  mostBeside,
  narrowerThan,
  paneOf,
  paneWidths,
  PRESENTED,
  presentedArrangement,
  presentedGraph,
  presentedIn,
  roomyPane,
  sideShare,
  SPREAD,
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
  const most = mostWith(isPresented && width >= WIDE ? LEAST_PRESENTED_TEXT : LEAST_TEXT);
  const { both, graph, memory } = paneWidths(counted, isAlone, columns, chosen.pictures);
  const { ofLines, withValues } = isPresented
    ? { ofLines: columns, withValues: columns }
    : roomyTextShares(letters, width, larger);
  return {
    ...{ measures, graph, memory },
    ...(both === null || isPresented ? {} : { graph: graphIn(both * GRAPH.roomy, larger) }),
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
  const closer = first.width <= most ? null : narrowerThan(measures);
  const graph = closer === null ? first : narrower(first, await graphOf(closer));
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
  for (const closer of room.presented === null ? [TIGHT, TIGHTEST] : [])
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
  const within = widthIn(pane, both, presented);
  const decided = { ...room, both: null, memory: within, last: presented === null ? within : null };
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
  if (presented === null && !(measures.compact && isDrawn(graph))) return sharedOnWide(graph, room, memoryOf);
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
  const { most, whole, larger } = both;
  const first = graphPane(graph, larger);
  const panes = () => [first, paneOf("memory", memory.width, larger)];
  let memory = await memoryOf(measures, memoryIn(most - first, larger));
  const left = arrangementOf(both, panes()).isStacked ? Math.max(first, whole) : whole - first;
  memory = await closeEnough(memory, left, larger, memoryOf);
  const arrangement = arrangementOf(both, panes());
  const share = first / panes().reduce((all, px) => all + px, 0);
  return { memory, ...leavingText(graph, memory, both, { arrangement, share }) };
}

/**
 * On a wide page both are side by side. Where lines of code would be broken, memory is drawn more closely,
 * step by step: names become shorter, matrices omit cells, titles end with their row. What is missing then,
 * the text gives, down to its usual width, and at last the graph, which is scrolled. Memory is never cut.
 * @param {GraphLayout} graph
 * @param {Room & {both: Both}} room
 * @param {MemoryOf} memoryOf
 * @returns {Promise<Shared>}
 */
async function sharedOnWide(graph, room, memoryOf) {
  const { usual, whole, last, larger } = room.both;
  const first = graphPane(graph, larger);
  const left = Math.max(whole - first, whole * (1 - GRAPH.beside));
  const roomy = await roomyOrFitted(room, leftForMemory(usual, graph.width), memoryOf);
  const memory = await closeEnough(roomy, left, larger, memoryOf);
  const second = paneOf("memory", memory.width, larger);
  if (first + second <= usual)
    return { memory, ...leavingText(graph, memory, room.both, { share: 0, arrangement: BESIDE }) };
  const both = Math.max(usual, Math.min(last, second / (1 - GRAPH.least)));
  const arrangement = { isStacked: false, both: both > usual ? both : null };
  return { memory, share: Math.max(GRAPH.least, 1 - second / both), arrangement };
}

/**
 * Memory, drawn more closely step by step while it does not fit so many px.
 * @param {MemoryLayout} memory
 * @param {number} px
 * @param {number} larger
 * @param {MemoryOf} memoryOf
 */
async function closeEnough(memory, px, larger, memoryOf) {
  let closest = memory;
  for (const closer of [FITTED, TIGHT, TIGHTEST, BRIEF])
    if (paneOf("memory", closest.width, larger) > px) {
      const most = closer === BRIEF ? briefIn(px, closest, larger) : memoryIn(px, larger);
      closest = narrower(closest, await memoryOf(closer, most));
    }
  return closest;
}

/** The px that a brief memory keeps for the cells of a row, with what stands right of them. */
const BRIEF_CELLS = 212;

/**
 * The width in units of memory that it gets where it is drawn briefly: two columns of a matrix are shown.
 * @param {number} px
 * @param {MemoryLayout} memory
 * @param {number} larger
 */
function briefIn(px, { columns }, larger) {
  return Math.max(memoryIn(px, larger), columns.strips + BRIEF_CELLS);
}

/**
 * @template {{width: number}} T
 * @param {T} one
 * @param {T} other
 */
function narrower(one, other) {
  return other.width < one.width ? other : one;
}

/**
 * How wide the pane of a graph is that needs no scrolling sideways, in px.
 * @param {GraphLayout} graph
 * @param {number} larger
 * @param {number} [scaled] the same of its picture
 */
function graphPane(graph, larger, scaled = paneOf("graph", graph.width, larger)) {
  if (!isDrawn(graph)) return 0;
  return scaled + (hasMinimap(graph) ? MINIMAP : 0);
}

/**
 * The same, narrower where the text can use what the pictures do not need: for whole lines they are drawn
 * smaller, for the values next to these they are not.
 * @param {GraphLayout} graph
 * @param {MemoryLayout} memory
 * @param {Both} both
 * @param {{share: number, arrangement: Arrangement}} shared
 */
function leavingText(graph, memory, { usual, whole, least, larger }, shared) {
  const { isStacked, both } = shared.arrangement;
  if (both !== null) return shared;
  const close = [graphPane(graph, larger), paneOf("memory", memory.width, larger)];
  const roomy = [graphPane(graph, larger, roomyPane(graph.width, larger)), roomyPane(memory.width, larger)];
  const together = (/** @type {number[]} */ panes) =>
    isStacked ? Math.max(...panes) : panes.reduce((all, px) => all + px, 0);
  const [narrow, wide] = [together(close), together(roomy)];
  const needed = Math.min(usual, Math.max(least, narrow, Math.min(wide, whole)));
  const given = wide > narrow ? Math.max(0, Math.min(1, (needed - narrow) / (wide - narrow))) : 0;
  const [first = 0, second = 0] = close.map((px, at) => px + given * ((roomy[at] ?? px) - px));
  return {
    share: isStacked ? shared.share : first / (first + second),
    arrangement: { isStacked, both: needed < usual ? needed : null },
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
