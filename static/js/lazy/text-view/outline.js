/**
 * Owns what the text views of the graph and of memory share: lists with a maximum length, and texts for
 * tensors, Nodes and values. Pure.
 */

import { placesIn } from "../../run/values/shown.js";
import { perRun } from "../../run/per-run.js";
import { cellsRead, covered, nested, shapeOf, shortName } from "../../run/values/format.js";
import { wrongAt, wrongText } from "../../run/values/wrong-gradients.js";
import { nameIn } from "../../run/naming/naming.js";

/** @import {Contents, Geometry} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State} from "../../run/types.d.ts" */

/**
 * @typedef {{key: string, isFresh: boolean, parts: Sentence[], children: Item[]}} Item `isFresh`: the
 *   described item was created, written or run in this step
 */

/** The maximum number of characters of a value in the text view. */
export const MOST_WRITTEN = 400;

/**
 * The maximum number of elements that the text view lists for a storage, equal to the maximum number of
 * cells in a picture.
 */
export const MOST_VALUES = 64;

/**
 * The maximum number of items in a complete list. A longer list contains only the items that changed in the
 * step, until the visitor asks for all items.
 */
const MOST_ITEMS = 100;

/**
 * @typedef {{items: Item[], others: number, areStill: boolean}} ItemList `others`: the number of omitted
 *   items; `areStill`: no omitted item changed in this step
 */

/**
 * @template T
 * @param {T[]} all
 * @param {boolean} isWhole
 * @param {(entry: T) => boolean} isFresh
 * @param {(entry: T) => Item} item
 * @returns {ItemList}
 */
export function listOf(all, isWhole, isFresh, item) {
  const fresh = isWhole || all.length <= MOST_ITEMS ? all : all.filter(isFresh);
  const shown = isWhole ? all : fresh.slice(0, MOST_ITEMS);
  return {
    items: shown.map(item),
    others: all.length - shown.length,
    areStill: shown.length === fresh.length,
  };
}

/**
 * @param {string} id
 * @param {Sentence["args"]} [args]
 * @returns {Sentence}
 */
export function say(id, args = {}) {
  return { id, args };
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 */
export function nameOf(index, state, id) {
  return nameIn(index, state, id) ?? `Tensor ${id}`;
}

/**
 * The values of a small tensor, nested by its shape; undefined: the trace does not contain all values.
 * @param {Geometry} geometry
 * @param {Contents | null} contents
 */
export function shownValue(geometry, contents) {
  const { shape, dtype } = geometry;
  const read = cellsRead(geometry, contents);
  const places = placesIn(geometry, MOST_VALUES) ?? [];
  if (read === undefined || places.length === 0 || covered(geometry).length === 0) return undefined;
  const values = places.map((place) => read.values[place] ?? null);
  if (values.includes(null)) return undefined;
  return nested(
    { kind: "cells", dtype, values: /** @type {typeof read.values} */ (values) },
    shape,
    Infinity,
  );
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} grad
 * @returns {Sentence[]}
 */
export function gradParts(index, state, grad) {
  const geometry = state.tensors.get(grad)?.geometry ?? null;
  const contents = state.storages.get(geometry?.storage ?? -1)?.contents ?? null;
  const wrong = wrongAt(index, state).storages.get(geometry?.storage ?? -1);
  const value = geometry === null ? "?" : (shownValue(geometry, contents) ?? shapeOf(geometry));
  const storage = geometry?.storage == null ? "?" : `S${geometry.storage}`;
  return wrong === undefined
    ? [say("text-grad", { value, storage })]
    : [say("text-grad", { value: wrongText(wrong, MOST_WRITTEN), storage }), say("text-wrong")];
}

/**
 * The names of the Nodes, by id. If several Nodes have the same name, a number is added: `AddBackward0 #2`.
 */
const nodeNames = perRun((/** @type {Index} */ index) => {
  /** @type {Map<string, number>} */
  const total = new Map();
  /** @type {Map<string, number>} */
  const count = new Map();
  const names = index.nodes.map((node) => shortName(node.name));
  for (const name of names) total.set(name, (total.get(name) ?? 0) + 1);
  return names.map((name) => {
    count.set(name, (count.get(name) ?? 0) + 1);
    return total.get(name) === 1 ? name : `${name} #${count.get(name)}`;
  });
});

/**
 * @param {Index} index
 * @param {number} id
 */
export function nodeName(index, id) {
  return nodeNames(index)[id] ?? "?";
}

/**
 * The name of a Node in sentences that refer to the Node.
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 */
export function nodeTitle(index, state, id) {
  const { variable } = index.nodes[id] ?? {};
  return variable === undefined
    ? `\`${nodeName(index, id)}\``
    : `\`AccumulateGrad\` (\`${nameOf(index, state, variable)}\`)`;
}
