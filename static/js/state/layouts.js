/**
 * Owns the layouts of a run's graph and of its memory picture. The layouts are computed again, for the same
 * Replay object, when the space on the page, the unfolded groups or the pins change.
 */

import { batch, signal } from "../../vendor/ui.js";
import { graphLayout, replaceShown, untilReplaced } from "../io/graph-layout.js";
import { withLevel } from "../layout/folds/fold-levels.js";
import { arranged, graphWithin, memoryWithin, roomBeside, roomOn } from "../layout/arranging.js";
import { ONE_PART, SMALL, STACKED_RUNS } from "../layout/measures.js";
import { inSlices, pause } from "../io/slices.js";
import { FREED } from "../layout/folds/freed-folds.js";
import { layingOut } from "../layout/memory-layout.js";
import { preparingNames } from "../run/naming/naming.js";
import { pins } from "./pins.js";
import { isPresenting, scale, textScale } from "./preferences.js";
import { columnsFor, longestLine, maximisedPicture, shares } from "./room.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {Folds} from "../io/graph-layout.js" */
/** @import {Arranged, MemoryOf, Room} from "../layout/arranging.js" */
/** @import {Arrangement} from "../layout/measures.js" */
/** @import {FoldedBy, GraphLayout, Index, Measures, MemoryLayout} from "../run/types.d.ts" */

/**
 * The minimum width in px of an embedded player that shows its picture to the right of the code. The style
 * sheet contains the same width.
 */
const WIDE_FRAME = 640;

/**
 * For each run, the groups of the graph that the visitor unfolded. The key is an object that all
 * granularities of a run share.
 * @type {WeakMap<Index["nodes"], Folds>}
 */
const foldsOf = new WeakMap();

/**
 * For each run, the groups of storages that the visitor unfolded in the memory picture, independently of the
 * graph.
 * @type {WeakMap<Index["nodes"], Set<string>>}
 */
const openStorages = new WeakMap();

/**
 * @param {Index} index
 * @returns {Room}
 */
function roomAlone(index) {
  const isSmall = matchMedia(SMALL).matches;
  return roomOn({
    ...{ width: innerWidth, height: innerHeight, isSmall },
    isAlone: isSmall || maximisedPicture.peek() !== null,
    isPresented: isPresenting.peek(),
    isPrinting: index.outputs.length > 0,
    columns: columnsFor(index),
    letters: longestLine(index),
    chosen: { columns: shares.columns.peek(), pictures: shares.pictures.peek() },
    ...{ larger: scale.peek(), text: textScale.peek() },
  });
}

/**
 * @param {Index} index
 * @returns {Room}
 */
function roomInSide(index) {
  if (matchMedia(STACKED_RUNS).matches) return roomAlone(index);
  return roomBeside(innerWidth, scale.peek(), matchMedia(ONE_PART).matches);
}

/**
 * The layouts of a run that fills the page, for its graph and its memory picture.
 * @param {Index} index
 * @param {AbortSignal} signal
 */
export function layoutsAlone(index, signal) {
  return RunLayouts.of(index, roomAlone, signal);
}

/**
 * The space for the picture of an embedded player. In a wide player the picture is to the right of the code.
 * @returns {Room}
 */
function roomInFrame() {
  const width = innerWidth < WIDE_FRAME ? innerWidth : 0.6 * innerWidth;
  return roomOfWidth(width, { larger: scale.peek(), text: textScale.peek() });
}

/**
 * @param {number} width of the picture, in px
 * @param {{larger: number, text: number}} size
 */
function roomOfWidth(width, { larger, text }) {
  return roomOn({
    ...{ width, height: innerHeight, larger, text },
    ...{ isSmall: true, isAlone: true, isPresented: false, columns: 0 },
    chosen: { columns: null, pictures: null },
  });
}

/**
 * The layouts of a run for pictures of a given width, with text of the usual size.
 * @param {Index} index
 * @param {number} width in px
 * @param {AbortSignal} signal
 */
export function layoutsOfWidth(index, width, signal) {
  return RunLayouts.of(index, () => roomOfWidth(width, { larger: 1, text: 1 }), signal);
}

/**
 * The layouts of a run in an embedded player, which shows one picture at a time.
 * @param {Index} index
 * @param {AbortSignal} signal
 */
export function layoutsInFrame(index, signal) {
  return RunLayouts.of(index, roomInFrame, signal);
}

/**
 * The layouts of one of the two runs in a comparison.
 * @param {Index} index
 * @param {AbortSignal} signal
 */
export function layoutsBeside(index, signal) {
  return RunLayouts.of(index, roomInSide, signal);
}

export class RunLayouts {
  /** @type {Signal<GraphLayout>} */
  graph;
  /** @type {Signal<MemoryLayout>} */
  memory;
  /** The share of the space for both pictures that the graph gets, whatever is folded or pinned. */
  share;
  /** @type {Signal<Arrangement>} */
  arrangement;
  /** @type {Room} */
  #room;
  /** @type {(index: Index) => Room} */
  #measured;
  /** @type {Index} */
  #index;
  /** An object that identifies the latest request for a layout. Results of earlier requests are dropped. */
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
   * Computes the layouts of a run that is about to be shown. Requests for layouts of the previous run are
   * dropped.
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
    return new RunLayouts(index, measured, graph, await around(index, graph, room, signal));
  }

  /**
   * Unfolds a folded group of the graph, or folds an unfolded one.
   * @param {string} key
   * @returns {Promise<boolean>} false: the result does not fit into the picture, which stays the same
   */
  toggleFold(key) {
    const open = new Set(this.#open());
    if (!open.delete(key)) open.add(key);
    return this.openOnly(open);
  }

  /**
   * Unfolds groups and all groups that contain them.
   * @param {string[]} keys
   */
  async unfold(keys) {
    const { groups } = this.graph.peek();
    const open = new Set(this.#open());
    for (const key of keys) {
      let group = groups.find((each) => each.key === key);
      for (; group !== undefined; group = groups[group.parent]) open.add(group.key);
    }
    return open.size > this.#open().size ? this.openOnly(open) : true;
  }

  /**
   * Unfolds (1) or folds (-1) one level of nested groups in the graph.
   * @param {1 | -1} direction
   */
  turnLevel(direction) {
    return this.openOnly(withLevel(this.graph.peek().groups, this.#open(), direction));
  }

  /**
   * Groups the Nodes by another criterion, such as modules instead of calls. As many groups are unfolded as
   * the picture has room for.
   * @param {FoldedBy} by
   */
  foldBy(by) {
    return this.#turn({ by });
  }

  /** @param {boolean} isOpen */
  foldAll(isOpen) {
    return this.openOnly(new Set(isOpen ? this.graph.peek().groups.map((group) => group.key) : []));
  }

  /** Lays the pictures out again after the space on the page changed. Unfolded groups stay unfolded. */
  fit() {
    const room = this.#measured(this.#index);
    const folds = foldsOf.get(this.#index.nodes);
    return this.#show(room, (signal) => graphFor(this.#index, room, signal, folds));
  }

  /**
   * Unfolds a folded group of storages, or folds an unfolded one.
   * @param {string} key
   * @param {boolean} [isOpen] whether the group is open afterwards
   */
  toggleStorages(key, isOpen = !this.memory.peek().open.has(key)) {
    const open = new Set(openStorages.get(this.#index.nodes) ?? this.memory.peek().open);
    if (isOpen) open.add(key);
    else open.delete(key);
    return this.showStorages(open);
  }

  /**
   * Unfolds the groups that are unfolded in the memory picture of another run. If that picture has no groups
   * but those of freed storages, all groups are unfolded.
   * @param {RunLayouts} other
   */
  async openStoragesOf(other) {
    const { groups, open } = this.memory.peek();
    const theirs = other.memory.peek();
    const keys = groups.map(({ key }) => key);
    const foldsNothing = theirs.groups.every(({ key }) => key === FREED);
    const both = keys.filter(
      (key) => open.has(key) || theirs.open.has(key) || (foldsNothing && key !== FREED),
    );
    if (both.length > open.size) await this.showStorages(new Set(both));
  }

  /**
   * Unfolds (1) the outermost folded groups of the memory picture, or folds (-1) the innermost unfolded
   * ones.
   * @param {1 | -1} direction
   */
  turnStorages(direction) {
    const { groups, rows, open } = this.memory.peek();
    const drawn = new Set(rows.flatMap(({ fold }) => fold?.group.key ?? []));
    return this.showStorages(withLevel(groups, open, direction, drawn));
  }

  /**
   * Unfolds the groups that contain a storage, so that the storage is drawn.
   * @param {number} storage
   * @param {string} key of the group that is drawn
   */
  async unfoldStorage(storage, key) {
    const { groups, homes, open } = this.memory.peek();
    const around = new Set([...open, key]);
    for (let at = homes.get(storage) ?? -1; at >= 0; at = groups[at]?.parent ?? -1)
      around.add(groups[at]?.key ?? "");
    if (around.size > open.size) await this.showStorages(around);
  }

  /**
   * Unfolds the given groups of the memory picture, and folds all others.
   * @param {Set<string>} open
   */
  showStorages(open) {
    openStorages.set(this.#index.nodes, open);
    return this.placeNames();
  }

  /**
   * Lays the memory picture out again after names were pinned or hidden, or groups were folded or unfolded.
   */
  async placeNames() {
    const request = {};
    this.#latestMemory = request;
    const memory = await memoryWithin(this.#room, memoryOf(this.#index, this.graph.peek(), this.#room));
    if (request === this.#latestMemory) this.memory.value = memory;
  }

  /** The groups that are unfolded in the latest requested layout, which may not be shown yet. */
  #folds() {
    const { by, open } = this.graph.peek();
    return foldsOf.get(this.#index.nodes) ?? { by, open };
  }

  #open() {
    return this.#folds().open ?? this.graph.peek().open;
  }

  /**
   * Unfolds the given groups of the graph, and folds all others.
   * @param {Set<string>} open
   */
  openOnly(open) {
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

  /**
   * Records the groups that the shown layout unfolds, after a requested layout failed or had too many boxes.
   */
  #keepShown() {
    const { by, open } = this.graph.peek();
    foldsOf.set(this.#index.nodes, { by, open });
  }

  /**
   * @param {Room} room
   * @param {(signal: AbortSignal) => Promise<GraphLayout | null>} layOut
   * @returns {Promise<boolean>} false: the graph does not fit into the picture
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
   * The memory picture and the division of the space for a graph. The division is computed again only if the
   * space changed.
   * @param {GraphLayout} graph
   * @param {Room} room
   * @param {AbortSignal} signal
   * @returns {Promise<Arranged>}
   */
  async #around(graph, room, signal) {
    if (room !== this.#room) return around(this.#index, graph, room, signal);
    const memory = await memoryWithin(room, memoryOf(this.#index, graph, room, signal));
    return { memory, room, share: this.share.peek(), arrangement: this.arrangement.peek() };
  }
}

/**
 * @param {Index} index
 * @param {GraphLayout} graph
 * @param {Room} room
 * @param {AbortSignal} signal
 * @returns {Promise<Arranged>}
 */
function around(index, graph, room, signal) {
  return arranged(graph, room, shares.pictures.peek(), memoryOf(index, graph, room, signal));
}

/**
 * @param {Index} index
 * @param {Room} room
 * @param {AbortSignal} signal
 * @param {Folds} [folds]
 */
function graphFor(index, room, signal, folds) {
  return graphWithin(room, (measures) => openedOrFolded(index, measures, signal, folds));
}

/**
 * The layout of the graph with the groups that the visitor unfolded. If the graph would have too many boxes,
 * the groups that are unfolded at first are unfolded.
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
 * @param {GraphLayout} graph the layout of the graph next to memory
 * @param {Room} room
 * @param {AbortSignal} [signal]
 * @returns {MemoryOf}
 */
function memoryOf(index, { groups, homes }, { hasPins }, signal) {
  return (measures, most) => {
    const cut = { ...measures, memory: { ...measures.memory, most } };
    const folding = {
      ...(hasPins ? { groups, homes } : { groups: [], homes: [] }),
      open: openStorages.get(index.nodes),
    };
    return inSlices(layingOut(index, cut, hasPins ? pins.peek() : undefined, folding), signal);
  };
}
