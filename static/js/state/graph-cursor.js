/** Owns at which box of the graph a visitor looks, and what he searches for there. */

import { computed, signal } from "../../vendor/ui.js";
import { toggleFold, unfold } from "./folds.js";
import { boxesOf } from "../layout/group-contents.js";
import { played, state } from "./store.js";
import { boxBeside, boxOf, firstBox, nodesFoundBy } from "../layout/graph-navigation.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {GraphBox} from "../run/types.d.ts" */
/** @import {Direction} from "../layout/graph-navigation.js" */

/**
 * `run`: in which it was chosen.
 * @type {Signal<{key: string, node: number, run: object} | null>}
 */
const cursor = signal(null);

/** Whether all that is known of the box is told beside it. */
export const isDetailed = signal(false);
/**
 * What is searched for; null: nothing.
 * @type {Signal<string | null>}
 */
export const searchText = signal(null);

/** The box that is position at; where it was folded, the group that it is in. */
export const cursorBox = computed(() => {
  const position = cursor.value;
  const now = played.value;
  if (
    position === null ||
    now === null ||
    position.run !== now.index.nodes ||
    !state.value?.nodes.has(position.node)
  )
    return null;
  return boxOf(now.graph, position.key) ?? boxesOf(now.graph, position.node)[0] ?? null;
});

/** Nodes that what is searched for finds. */
export const foundNodes = computed(() => {
  const [index, now] = [played.value?.index, state.value];
  return index === undefined || now === null || searchText.value === null
    ? []
    : nodesFoundBy(index, now, searchText.value);
});

/** Keys of the boxes that they have, or are folded in. */
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
 * To the neighbour of the box that is looked at, or to where one begins.
 * @param {Direction} direction
 */
export function moveCursor(direction) {
  const [graph, now, box] = [played.peek()?.graph, state.peek(), cursorBox.peek()];
  if (graph === undefined || now === null) return;
  moveCursorTo(box === null ? firstBox(graph, now) : (boxBeside(graph, now, box.key, direction) ?? box));
}

/** Unfold the group that is looked at, or fold the one around what is. */
export function toggleFoldAtCursor() {
  const [graph, box] = [played.peek()?.graph, cursorBox.peek()];
  const key = graph?.groups[box?.fold?.group ?? box?.around ?? -1]?.key;
  if (key !== undefined) void toggleFold(key);
}

/** The number of the Node that is looked at among those found; -1: none of them. */
export const foundNumber = computed(() => foundNodes.value.indexOf(cursor.value?.node ?? -1));

/**
 * To the next or previous Node that was found, round again; what it is folded in opens.
 * @param {1 | -1} direction
 */
export async function moveCursorToFound(direction) {
  const nodes = foundNodes.peek();
  const at = foundNumber.peek();
  const node =
    nodes[at < 0 ? (direction === 1 ? 0 : nodes.length - 1) : (at + direction + nodes.length) % nodes.length];
  const run = played.peek()?.index.nodes;
  if (node === undefined) return;
  for (
    let graph = played.peek()?.graph;
    graph !== undefined && played.peek()?.index.nodes === run;
    graph = played.peek()?.graph
  ) {
    const box = boxesOf(graph, node)[0];
    if (box?.fold == null) return moveCursorTo(box && { ...box, node });
    await unfold([graph.groups[box.fold.group]?.key ?? ""]);
    if (played.peek()?.graph === graph) return; // it cannot be opened
  }
}
