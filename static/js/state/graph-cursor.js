/** Owns the keyboard cursor in the graph, and the text search in the graph and the memory picture. */

import { computed, signal } from "../../vendor/ui.js";
import { toggleFold, unfold } from "./folds.js";
import { boxesOf } from "../layout/group-contents.js";
import { isThere } from "../layout/visible.js";
import { select, selected } from "./selection.js";
import { lastVisibleStop } from "./prediction.js";
import { goTo, played, state } from "./store.js";
import {
  boxBeside,
  boxOf,
  firstBox,
  namesFoundBy,
  nodesFoundBy,
  stopFoundBy,
  storageFoundBy,
} from "../layout/graph-navigation.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {GraphBox, Subject} from "../run/types.d.ts" */
/** @import {Direction} from "../layout/graph-navigation.js" */

/**
 * The keyboard cursor in the graph. `run`: an object that identifies the run to which the cursor belongs.
 * @type {Signal<{key: string, node: number, run: object} | null>}
 */
const cursor = signal(null);

/** Whether the details of the box at the cursor are shown. */
export const isDetailed = signal(false);
/**
 * The text that is searched in both pictures; null while no search is open.
 * @type {Signal<string | null>}
 */
export const searchText = signal(null);

/**
 * The box at the cursor. If that box was folded into a group, the cursor is at the box of the group; null if
 * the shown step has neither.
 */
export const cursorBox = computed(() => {
  const position = cursor.value;
  const [run, now] = [played.value, state.value];
  if (position === null || run === null || now === null || position.run !== run.index.nodes) return null;
  const box = boxOf(run.graph, position.key) ?? boxesOf(run.graph, position.node)[0];
  return box !== undefined && isThere(now, { ...box, node: position.node }) ? box : null;
});

/**
 * Makes a signal of the items at the shown step that match the search text.
 * @param {typeof nodesFoundBy} foundBy
 */
function searched(foundBy) {
  return computed(() => {
    const [index, now, text] = [played.value?.index, state.value, searchText.value];
    return index === undefined || now === null || text === null ? [] : foundBy(index, now, text);
  });
}

const foundNodes = searched(nodesFoundBy);

/**
 * The keys of the boxes to highlight: those of Nodes that match the search, or of folded groups that contain
 * such Nodes.
 */
export const foundBoxes = computed(() => {
  const graph = played.value?.graph;
  return new Set(
    graph === undefined ? [] : foundNodes.value.flatMap((node) => boxesOf(graph, node).map((box) => box.key)),
  );
});

/** @param {GraphBox | null | undefined} box */
export function moveCursorTo(box) {
  const run = played.peek()?.index.nodes;
  cursor.value = box == null || run === undefined ? null : { key: box.key, node: box.node, run };
  if (box == null) isDetailed.value = false;
}

/** @param {string} key */
export function moveCursorToKey(key) {
  const graph = played.peek()?.graph;
  moveCursorTo(graph === undefined ? null : boxOf(graph, key));
}

/**
 * Moves the cursor to the neighbouring box in a direction. If the cursor is at no box, it moves to the first
 * box.
 * @param {Direction} direction
 */
export function moveCursor(direction) {
  const [graph, now, box] = [played.peek()?.graph, state.peek(), cursorBox.peek()];
  if (graph === undefined || now === null) return;
  moveCursorTo(box === null ? firstBox(graph, now) : (boxBeside(graph, now, box.key, direction) ?? box));
}

/**
 * If the cursor is at a folded group, unfolds it; otherwise folds the group that contains the box at the
 * cursor.
 */
export function toggleFoldAtCursor() {
  const [graph, box] = [played.peek()?.graph, cursorBox.peek()];
  const key = graph?.groups[box?.fold?.group ?? box?.around ?? -1]?.key;
  if (key !== undefined) void toggleFold(key);
}

const foundNames = searched(namesFoundBy);

/**
 * The search results in this order: the storage with the given number, names equal to the search text, Nodes
 * of the graph, other names in memory.
 */
const found = computed(() => {
  const written = searchText.value?.trim().toLowerCase() ?? "";
  const storage = state.value === null ? null : storageFoundBy(state.value, written);
  const inMemory = (/** @type {Subject} */ subject) => ({ subject, node: null });
  const names = foundNames.value.map((id) => inMemory({ kind: "name", id }));
  const isWhole = (/** @type {{subject: Subject}} */ { subject }) =>
    played.value?.index.names[subject.id]?.path.toLowerCase() === written;
  return [
    ...(storage === null ? [] : [inMemory({ kind: "storage", id: storage })]),
    ...names.filter(isWhole),
    ...foundNodes.value.map((node) => ({ subject: null, node })),
    ...names.filter((each) => !isWhole(each)),
  ];
});

/** The number of search results. */
export const foundCount = computed(() => found.value.length);

/**
 * If the shown step has no search result, a stop that has one. null if the step has results, no stop has
 * one, or prediction still hides that stop.
 */
export const foundAtStop = computed(() => {
  const [index, now, text] = [played.value?.index, state.value, searchText.value];
  if (index === undefined || now === null || text === null || foundCount.value > 0) return null;
  const stop = stopFoundBy(index, text, now.k);
  return stop === null || stop === now.k || stop > lastVisibleStop.value ? null : stop;
});

/**
 * The index among the search results of the Node at the cursor, or else of the selection; -1 if neither is a
 * result.
 */
export const foundNumber = computed(() => {
  const at = cursor.value?.node ?? null;
  const node = at === null ? -1 : found.value.findIndex((each) => each.node === at);
  const { kind, id } = selected.value ?? {};
  if (node >= 0 || id === undefined) return node;
  return found.value.findIndex(({ subject }) => subject?.kind === kind && subject?.id === id);
});

/**
 * Moves the cursor to the next or previous search result in the graph, or selects the result in memory. The
 * first search result comes after the last. If the shown step has no search result, goes to a step that has
 * one.
 * @param {1 | -1} direction
 */
export async function moveCursorToFound(direction) {
  const stop = foundAtStop.peek();
  if (stop !== null) goTo(stop);
  const [count, at] = [foundCount.peek(), foundNumber.peek()];
  const next = found.peek()[at < 0 ? (direction === 1 ? 0 : count - 1) : (at + direction + count) % count];
  if (next === undefined) return;
  if (next.node !== null) return moveCursorToNode(next.node);
  moveCursorTo(null);
  select(next.subject);
}

/**
 * Moves the cursor to a Node, and unfolds the groups that contain the Node.
 * @param {number} node
 */
async function moveCursorToNode(node) {
  const run = played.peek()?.index.nodes;
  for (
    let graph = played.peek()?.graph;
    graph !== undefined && played.peek()?.index.nodes === run;
    graph = played.peek()?.graph
  ) {
    const box = boxesOf(graph, node)[0];
    if (box?.fold == null) return moveCursorTo(box && { ...box, node });
    await unfold([graph.groups[box.fold.group]?.key ?? ""]);
    if (played.peek()?.graph === graph) return; // the group cannot be unfolded
  }
}
