/**
 * Owns the layouts of a run's two pictures. They follow from the run, the room on the page, the groups that
 * are open and the pins, and are made again when one of these changes; the replay stays what it is.
 */

import { batch, signal } from "../../vendor/ui.js";
import { graphLayout, replaceShown, untilReplaced } from "../io/graph-layout.js";
import { withLevel } from "../layout/fold-levels.js";
import {
  arrangementOf,
  BESIDE,
  besideText,
  countedWidth,
  FITTED,
  fittingShare,
  graphShare,
  LEAST_PRESENTED_TEXT,
  LEAST_TEXT,
  leftForMemory,
  leftPresented,
  measuresFor,
  memoryIn,
  narrowerThan,
  paneOf,
  paneWidths,
  PRESENTED,
  presentedArrangement,
  presentedGraph,
  presentedIn,
  SMALL,
  stackedShare,
  WIDE,
} from "../layout/measures.js";
import { inSlices, pause } from "../io/slices.js";
import { layingOut } from "../layout/memory-layout.js";
import { preparingNames } from "../run/naming.js";
import { pins } from "./pins.js";
import { isPresenting, scale, textScale } from "./preferences.js";
import { columnsFor, maximisedPicture, shares } from "./room.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {Folds} from "../io/graph-layout.js" */
/** @import {Arrangement} from "../layout/measures.js" */
/** @import {FoldedBy, GraphLayout, Index, Measures, MemoryLayout} from "../run/types.d.ts" */

/**
 * @typedef {object} Room
 * @property {Measures} measures
 * @property {number} graph width in px above which the graph is laid out narrower
 * @property {number} memory width in px above which memory is laid out narrower
 * @property {number | null} both width in px of both, where the graph's decides what is left for memory
 * @property {{most: number, larger: number} | null} fitted on a narrow page, px of both if the text gives
 *   way, and times the plain size of text; null: the pictures stand beside each other whatever they need
 * @property {boolean} isPresented whether both pictures are read from afar
 * @property {boolean} hasPins whether hidden and pinned names count
 */

/** Below this width in px, runs that stand side by side stand one above the other. */
const STACKED = 820;

/**
 * What a visitor opened, by what a run keeps at every granularity.
 * @type {WeakMap<Index["nodes"], Folds>}
 */
const foldsOf = new WeakMap();

/**
 * The same of the groups of storages: what is open in one picture may be folded in the other.
 * @type {WeakMap<Index["nodes"], Set<string>>}
 */
const openStorages = new WeakMap();

/**
 * @param {Index} index
 * @returns {Room}
 */
function roomAlone(index) {
  const isSmall = matchMedia(SMALL).matches;
  const isPresented = isPresenting.peek();
  const measures = isPresented ? PRESENTED : measuresFor(innerWidth / Math.max(1, textScale.peek()), isSmall);
  const isAlone = isSmall || maximisedPicture.peek() !== null;
  const chosen = shares.pictures.peek();
  const columns = columnsFor(index);
  const hasToFit = measures.compact && !isAlone && chosen === null;
  const least =
    shares.columns.peek() ??
    Math.min(columns, isPresented && innerWidth >= WIDE ? LEAST_PRESENTED_TEXT : LEAST_TEXT);
  const width = countedWidth(innerWidth, isPresented);
  const widths = paneWidths(width, isAlone, columns, chosen);
  const most = besideText(width, least);
  return {
    measures,
    ...widths,
    ...(isPresented ? { graph: presentedGraph(most), memory: presentedIn(widths.memory) } : {}),
    fitted: hasToFit ? { most, larger: scale.peek() } : null,
    isPresented,
    hasPins: true,
  };
}

/**
 * @param {Index} index
 * @returns {Room}
 */
function roomBeside(index) {
  if (innerWidth <= STACKED) return roomAlone(index);
  return {
    ...{ measures: FITTED, graph: Infinity, memory: Infinity, both: null, fitted: null },
    ...{ isPresented: false, hasPins: false },
  };
}

/**
 * The layouts of a run that stands alone.
 * @param {Index} index
 * @param {AbortSignal} signal
 */
export function layoutsAlone(index, signal) {
  return RunLayouts.of(index, roomAlone, signal);
}

/**
 * The layouts of a run that stands beside another.
 * @param {Index} index
 * @param {AbortSignal} signal
 */
export function layoutsBeside(index, signal) {
  return RunLayouts.of(index, roomBeside, signal);
}

export class RunLayouts {
  /** @type {Signal<GraphLayout>} */
  graph;
  /** @type {Signal<MemoryLayout>} */
  memory;
  /** The share of the graph that suits both pictures; folding and pins leave it and what follows. */
  share;
  /** @type {Signal<Arrangement>} */
  arrangement;
  /** @type {Room} */
  #room;
  /** @type {(index: Index) => Room} */
  #measured;
  /** @type {Index} */
  #index;
  /** What was asked for last; older answers are dropped. */
  #latest = {};
  #latestMemory = {};

  /**
   * @param {Index} index
   * @param {(index: Index) => Room} measured
   * @param {GraphLayout} graph
   * @param {Arranged} arranged
   */
  constructor(index, measured, graph, arranged) {
    this.#index = index;
    this.#measured = measured;
    this.graph = signal(graph);
    this.memory = signal(arranged.memory);
    this.share = signal(arranged.share);
    this.arrangement = signal(arranged.arrangement);
    this.#room = arranged.room;
  }

  /**
   * Of a run that is about to be shown. What is still laid out for the one that is shown is dropped.
   * @param {Index} index
   * @param {(index: Index) => Room} measured
   * @param {AbortSignal} signal
   */
  static async of(index, measured, signal) {
    replaceShown();
    const room = measured(index);
    await inSlices(preparingNames(index), signal);
    const graph = await graphFor(index, room, signal, foldsOf.get(index.nodes));
    await pause();
    return new RunLayouts(index, measured, graph, await arranged(index, graph, room, signal));
  }

  /**
   * Open a group that is folded, fold one that is open.
   * @param {string} key
   * @returns {Promise<boolean>} whether the picture can hold it; it stays as it is where not
   */
  toggleFold(key) {
    const open = new Set(this.#open());
    if (!open.delete(key)) open.add(key);
    return this.#openOnly(open);
  }

  /**
   * Open groups with all that are around them.
   * @param {string[]} keys
   */
  async unfold(keys) {
    const { groups } = this.graph.peek();
    const open = new Set(this.#open());
    for (const key of keys) {
      let group = groups.find((each) => each.key === key);
      for (; group !== undefined; group = groups[group.parent]) open.add(group.key);
    }
    return open.size > this.#open().size ? this.#openOnly(open) : true;
  }

  /**
   * Open or fold one level of groups.
   * @param {1 | -1} direction
   */
  turnLevel(direction) {
    return this.#openOnly(withLevel(this.graph.peek().groups, this.#open(), direction));
  }

  /**
   * Let groups be others; as many are open as fit.
   * @param {FoldedBy} by
   */
  foldBy(by) {
    return this.#turn({ by });
  }

  /** @param {boolean} isOpen */
  foldAll(isOpen) {
    return this.#openOnly(new Set(isOpen ? this.graph.peek().groups.map((group) => group.key) : []));
  }

  /** The room on the page changed; what is open stays so. */
  fit() {
    const room = this.#measured(this.#index);
    const folds = this.#folds();
    return this.#show(room, (signal) => graphFor(this.#index, room, signal, folds));
  }

  /**
   * Show the storages of a group that is folded, fold one that is open.
   * @param {string} key
   * @param {boolean} [isOpen] from now on
   */
  toggleStorages(key, isOpen = !this.memory.peek().open.has(key)) {
    const open = new Set(openStorages.get(this.#index.nodes) ?? this.memory.peek().open);
    if (isOpen) open.add(key);
    else open.delete(key);
    return this.#showStorages(open);
  }

  /**
   * Open what is open in the memory of another run; all, where that one folds nothing.
   * @param {RunLayouts} other
   */
  async openStoragesOf(other) {
    const { groups, open } = this.memory.peek();
    const theirs = other.memory.peek();
    const keys = groups.map(({ key }) => key);
    const both = keys.filter((key) => open.has(key) || theirs.groups.length === 0 || theirs.open.has(key));
    if (both.length > open.size) await this.#showStorages(new Set(both));
  }

  /**
   * Show or fold the storages of one level of groups: the folded ones that lie least deep, or the open ones
   * that lie deepest.
   * @param {1 | -1} direction
   */
  turnStorages(direction) {
    const { groups, rows, open } = this.memory.peek();
    const drawn = new Set(rows.flatMap(({ fold }) => fold?.group.key ?? []));
    return this.#showStorages(withLevel(groups, open, direction, drawn));
  }

  /**
   * Open the groups that a storage is folded in.
   * @param {number} storage
   */
  async unfoldStorage(storage) {
    const { groups, homes, open } = this.memory.peek();
    const around = new Set(open);
    for (let at = homes.get(storage) ?? -1; at >= 0; at = groups[at]?.parent ?? -1)
      around.add(groups[at]?.key ?? "");
    if (around.size > open.size) await this.#showStorages(around);
  }

  /** @param {Set<string>} open */
  #showStorages(open) {
    openStorages.set(this.#index.nodes, open);
    return this.placeNames();
  }

  /** Names were pinned, hidden or brought back, or storages were folded or shown. */
  async placeNames() {
    const request = {};
    this.#latestMemory = request;
    const memory = await memoryFor(this.#index, this.graph.peek(), this.#room);
    if (request === this.#latestMemory) this.memory.value = memory;
  }

  /** What is open, or will be when the layout that was asked for last is there. */
  #folds() {
    const { by, open } = this.graph.peek();
    return foldsOf.get(this.#index.nodes) ?? { by, open };
  }

  #open() {
    return this.#folds().open ?? this.graph.peek().open;
  }

  /** @param {Set<string>} open */
  #openOnly(open) {
    return this.#turn({ ...this.#folds(), open });
  }

  /** @param {Folds} folds */
  async #turn(folds) {
    foldsOf.set(this.#index.nodes, folds);
    const room = this.#room;
    const { measures } = this.graph.peek();
    const isShown = await this.#show(room, (signal) => graphLayout(this.#index, measures, signal, folds));
    if (!isShown) this.#keepShown();
    return isShown;
  }

  /** What was asked for is not shown: what is open is what can be seen. */
  #keepShown() {
    const { by, open } = this.graph.peek();
    foldsOf.set(this.#index.nodes, { by, open });
  }

  /**
   * @param {Room} room
   * @param {(signal: AbortSignal) => Promise<GraphLayout | null>} layOut
   * @returns {Promise<boolean>} false: the picture cannot hold it
   */
  async #show(room, layOut) {
    const request = {};
    this.#latest = request;
    const signal = untilReplaced();
    const isSame = (/** @type {GraphLayout} */ graph) =>
      room === this.#room && graph.by === this.graph.peek().by;
    const laidOut = await layOut(signal)
      .then(async (graph) => ({
        graph,
        around: graph === null || isSame(graph) ? null : await this.#around(graph, room, signal),
      }))
      .catch((error) => {
        if (!signal.aborted) throw error;
        this.#keepShown();
      });
    if (laidOut === undefined || request !== this.#latest) return true;
    const { graph, around } = laidOut;
    if (graph === null) return false;
    batch(() => {
      if (around !== null) this.memory.value = around.memory;
      if (around !== null && room !== this.#room) {
        if (maximisedPicture.peek() === null) this.share.value = around.share;
        if (maximisedPicture.peek() === null) this.arrangement.value = around.arrangement;
        this.#room = around.room;
      }
      this.graph.value = graph;
    });
    return true;
  }

  /**
   * What stands around a graph: in another room all is arranged anew, in the same it stays.
   * @param {GraphLayout} graph
   * @param {Room} room
   * @param {AbortSignal} signal
   * @returns {Promise<Arranged>}
   */
  async #around(graph, room, signal) {
    if (room !== this.#room) return arranged(this.#index, graph, room, signal);
    const memory = await memoryFor(this.#index, graph, room, signal);
    return { memory, room, share: this.share.peek(), arrangement: this.arrangement.peek() };
  }
}

/**
 * `room`: once it is decided how both pictures share it, which what a visitor folds or pins leaves as it is.
 * @typedef {{memory: MemoryLayout, share: number, arrangement: Arrangement, room: Room}} Arranged
 */

/**
 * Memory beside a graph, or below it where a narrow page has no room for both.
 * @param {Index} index
 * @param {GraphLayout} graph
 * @param {Room} room
 * @param {AbortSignal} signal
 * @returns {Promise<Arranged>}
 */
async function arranged(index, graph, room, signal) {
  const { both, fitted } = room;
  const memory = await memoryFor(index, graph, room, signal);
  if (both === null) return { memory, share: shares.pictures.peek() ?? 0.5, arrangement: BESIDE, room };
  const within = (/** @type {number} */ widest) => ({ ...room, both: null, fitted: null, memory: widest });
  if (fitted === null) {
    const share = graphShare(graph.width, memory.width, both);
    return { memory, share, arrangement: BESIDE, room: within(both * (1 - share)) };
  }
  if (room.isPresented) return presented(index, graph, memory, { ...room, both, fitted }, signal);
  const { larger, most } = fitted;
  if (!isDrawn(graph))
    return { memory, share: 0.5, arrangement: BESIDE, room: within(memoryIn(both, larger)) };
  const arrangement = arrangementOf({ usual: both, most }, graph.width, memory.width, larger);
  const width = arrangement.both ?? both;
  if (!arrangement.isStacked) {
    const share = fittingShare(graph.width, memory.width, larger);
    return { memory, share, arrangement, room: within(memoryIn(width * (1 - share), larger)) };
  }
  const below = within(memoryIn(width, larger));
  const wider = await memoryFor(index, graph, below, signal);
  return { memory: wider, share: stackedShare(graph.height, wider.height), arrangement, room: below };
}

/**
 * The same in presenter mode.
 * @param {Index} index
 * @param {GraphLayout} graph
 * @param {MemoryLayout} memory
 * @param {Room & {both: number, fitted: NonNullable<Room["fitted"]>}} room
 * @param {AbortSignal} signal
 * @returns {Promise<Arranged>}
 */
async function presented(index, graph, memory, room, signal) {
  const { both, fitted } = room;
  const within = (/** @type {number} */ px) => ({
    ...{ ...room, both: null, fitted: null },
    memory: presentedIn(px),
  });
  if (!isDrawn(graph)) return { memory, share: 0.5, arrangement: BESIDE, room: within(both) };
  const page = { width: innerWidth, height: innerHeight };
  const { arrangement, share } = presentedArrangement(
    { usual: both, most: fitted.most },
    graph,
    memory,
    page,
  );
  const width = arrangement.both ?? both;
  if (!arrangement.isStacked) return { memory, share, arrangement, room: within(width * (1 - share)) };
  const below = within(width);
  return { memory: await memoryFor(index, graph, below, signal), share, arrangement, room: below };
}

/**
 * @param {Index} index
 * @param {Room} room
 * @param {AbortSignal} signal
 * @param {Folds} [folds]
 */
async function graphFor(index, { measures, graph: most }, signal, folds) {
  const graph = await openedOrFolded(index, measures, signal, folds);
  const narrower = graph.width <= most ? null : narrowerThan(measures);
  return narrower === null ? graph : openedOrFolded(index, narrower, signal, folds);
}

/**
 * With the groups open that a visitor opened, or should these be too many for this room, as at first.
 * @param {Index} index
 * @param {Measures} measures
 * @param {AbortSignal} signal
 * @param {Folds} [folds]
 */
async function openedOrFolded(index, measures, signal, folds) {
  const opened = await graphLayout(index, measures, signal, folds);
  const graph = opened ?? (await graphLayout(index, measures, signal));
  return /** @type {GraphLayout} */ (graph);
}

/**
 * @param {Index} index
 * @param {GraphLayout} graph beside it
 * @param {Room} room
 * @param {AbortSignal} [signal]
 */
async function memoryFor(index, graph, room, signal) {
  const { groups, homes } = graph;
  const { measures, memory: widest, hasPins } = room;
  const most = leftFor(room, graph) ?? widest;
  const laidOut = (/** @type {Measures} */ chosen, /** @type {number} */ widest) => {
    const cut = { ...chosen, memory: { ...chosen.memory, most: widest } };
    const folding = {
      ...(hasPins ? { groups, homes } : { groups: [], homes: [] }),
      open: openStorages.get(index.nodes),
    };
    return inSlices(layingOut(index, cut, hasPins ? pins.peek() : undefined, folding), signal);
  };
  const memory = await laidOut(measures, measures.compact ? most : Infinity);
  const narrower = !hasPins || memory.width <= most ? null : narrowerThan(measures);
  return narrower === null ? memory : laidOut(narrower, most);
}

/**
 * The width that a graph leaves memory where it is not yet decided what each gets.
 * @param {Room} room
 * @param {GraphLayout} graph
 */
function leftFor({ both, fitted, isPresented }, graph) {
  if (both === null) return null;
  if (isPresented)
    return isDrawn(graph) ? leftPresented(fitted?.most ?? both, graph.width) : presentedIn(both);
  if (fitted === null) return leftForMemory(both, graph.width);
  if (!isDrawn(graph)) return memoryIn(both, fitted.larger);
  return memoryIn(fitted.most - paneOf("graph", graph.width, fitted.larger), fitted.larger);
}

/** @param {GraphLayout} graph */
function isDrawn({ boxes, isOverview }) {
  return boxes.length > 0 || isOverview;
}
