/**
 * Divides a page between the two pictures of a run: computes the available space, and chooses the measures
 * and the pane's size for each picture. Pure: the caller provides the layouts.
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
  NARROW,
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
 * @typedef {object} Page What determines the space of a single run
 * @property {number} width in px
 * @property {number} height
 * @property {boolean} isSmall whether the panes are in tabs
 * @property {boolean} isAlone whether a picture has the whole width of the page
 * @property {boolean} isPresented whether the page is in presenter mode
 * @property {boolean} [isPrinting] whether the run printed anything
 * @property {number} columns the text column's share of the width
 * @property {number} [letters] length of the longest line of code, in characters
 * @property {{columns: number | null, pictures: number | null}} chosen the shares that a visitor chose
 * @property {number} larger size of text relative to the default
 * @property {number} text `larger` without the increase of presenter mode
 */

/**
 * The total width in px of both pictures, for different widths of the text column. `usual` belongs to the
 * default text column. `whole` leaves enough width to show each line of code unbroken, and `least` also
 * leaves room for the values next to the lines. `most` belongs to the text column's first minimum, `last` to
 * its second minimum, which prevents a cut memory picture. `larger`: see Page.
 * @typedef {{usual: number, whole: number, least: number, most: number, last: number, larger: number}} Both
 */

/**
 * @typedef {object} Room
 * @property {Measures} measures
 * @property {number} graph width in px above which the graph is laid out narrower
 * @property {number} memory width above which memory is laid out narrower
 * @property {Both | null} both null: the division is decided
 * @property {{width: number, height: number, isPrinting: boolean} | null} presented the page in presenter
 *   mode
 * @property {{width: number, larger: number} | null} side one side of a comparison
 * @property {number | null} last width above which memory is drawn with brief titles; null: never
 * @property {boolean} hasPins whether hidden and pinned names are applied
 */

/**
 * @typedef {{memory: MemoryLayout, share: number, arrangement: Arrangement}} Shared `share`: the graph's
 *   share
 */

/**
 * `room` is the space after its division between the two pictures. Folding a group or pinning a name does
 * not change this division.
 * @typedef {Shared & {room: Room}} Arranged
 */

/**
 * @typedef {(measures: Measures, most: number) => MemoryLayout | Promise<MemoryLayout>} MemoryOf lays out
 *   the memory picture, at most `most` wide where possible
 */

/**
 * The space on a page for the two pictures of a single run.
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

/**
 * The width in px that a page needs outside the two sides of a comparison, and that a side needs outside its
 * panes.
 */
const AROUND_SIDES = 40;
const BETWEEN = 8;

/**
 * The space for the two pictures of one side of a comparison.
 * @param {number} width of the page
 * @param {number} larger size of text relative to the default
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
  const closest = closer === null ? first : narrower(first, await graphOf(closer));
  const isWide = closer === FITTED && closest.width > most;
  const graph = isWide ? narrower(closest, await graphOf(NARROW)) : closest;
  if (presented === null || both === null || presented.width < WIDE) return graph;
  if (isWholePresented(graph, presented, both.most)) return graph;
  const spread = await graphOf(SPREAD);
  return isWholePresented(spread, presented, both.most) ? spread : graph;
}

/**
 * Lays out the memory picture with the first measures with which it fits `room.memory`, the width available
 * to it.
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
 * Places memory to the right of a graph, or below the graph if a narrow page has no space for both.
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
 * Lays out the memory picture in one side of a comparison. The memory picture gets the width that the graph
 * leaves, or half of the side.
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
 * On a wide page the two pictures are side by side. Where lines of code would be broken, the memory picture
 * becomes narrower step by step: it shortens names, omits cells of matrices and cuts titles at the end of
 * their row. If the memory picture is still too wide, the text column shrinks. Finally the pane of the graph
 * shrinks and scrolls. Memory is never cut.
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
 * Lays out the memory picture with narrower and narrower measures until its pane fits `px`.
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

/**
 * The width in px of a row's cells and of the notes to their right, in a memory picture with brief titles.
 */
const BRIEF_CELLS = 212;

/**
 * The width, in picture units, of a memory picture with brief titles: at least enough for two columns of a
 * matrix.
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
 * The width in px at which the pane of a graph needs no horizontal scrolling.
 * @param {GraphLayout} graph
 * @param {number} larger
 * @param {number} [scaled] the same width for the picture alone
 */
function graphPane(graph, larger, scaled = paneOf("graph", graph.width, larger)) {
  if (!isDrawn(graph)) return 0;
  return scaled + (hasMinimap(graph) ? MINIMAP : 0);
}

/**
 * Divides a page as in `shared`, but with narrower pictures where the text column can use the space. The
 * pictures shrink to avoid breaking lines of code, but not to make room for the values next to the lines.
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
 * The width of the memory picture, in picture units, in a pane of `px`.
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
