/** Owns the text view: what both pictures show at a step, as nested items of sentences. Pure. */

import { perRun } from "../../run/per-run.js";
import { arraysOver } from "../../run/arrays.js";
import { bytes, covered, element, hasShape, nested, shapeOf, shortName, tuple } from "../../run/format.js";
import { groupContentsAt } from "../../layout/group-contents.js";
import { pocketChip, pocketLabel } from "../../layout/union-graph.js";
import { rowsAt, slotsAt } from "../../layout/memory-rows.js";
import { retainersOfStorage, retainersOfTensor } from "../../run/retainers.js";
import { nameIn } from "../../run/naming.js";

/** @import {Contents, Geometry} from "../../run/trace.d.ts" */
/**
 * @import {GraphBox, GraphLayout, Index, MemoryLayout, MemoryRow, NodeState, Sentence, State, StorageState,
 *   TensorState} from "../../run/types.d.ts"
 */

/**
 * @typedef {{key: string, isFresh: boolean, parts: Sentence[], children: Item[]}} Item `isFresh`: it came,
 *   was written or ran in this very step
 */

/** The most values that are listed, as many as a picture has cells. */
const MOST_VALUES = 64;

/** The most things that are listed as keeping one alive. */
const MOST_RETAINERS = 20;

/** A longer list holds only the items that changed in the step; the others are listed on demand. */
const MOST_ITEMS = 100;

/**
 * @typedef {{items: Item[], others: number, areStill: boolean}} ItemList `others`: how many more there are;
 *   `areStill`: nothing happened to them
 */

/**
 * @template T
 * @param {T[]} all
 * @param {boolean} isWhole
 * @param {(entry: T) => boolean} isFresh
 * @param {(entry: T) => Item} item
 * @returns {ItemList}
 */
function listOf(all, isWhole, isFresh, item) {
  const fresh = isWhole || all.length <= MOST_ITEMS ? all : all.filter(isFresh);
  const shown = isWhole ? all : fresh.slice(0, MOST_ITEMS);
  return {
    items: shown.map(item),
    others: all.length - shown.length,
    areStill: shown.length === fresh.length,
  };
}

/**
 * Every storage of the picture with its tensors.
 * @param {Index} index
 * @param {MemoryLayout} layout
 * @param {State} state
 * @param {boolean} isWhole whether a long list is listed whole
 * @returns {ItemList}
 */
export function memoryOutline(index, layout, state, isWhole) {
  const rows = rowsAt(layout, state);
  const isFresh = (/** @type {MemoryRow} */ row) => {
    const storage = state.storages.get(row.storage ?? -1);
    return (
      (storage !== undefined && (storage.is_written || isNewStorage(index, state, storage))) ||
      slotsAt(row, state).some(({ tensor }) => isFreshTensor(state.tensors.get(tensor)))
    );
  };
  return listOf(rows, isWhole, isFresh, (row) => {
    const tensors = slotsAt(row, state).map(
      (slot) => /** @type {TensorState} */ (state.tensors.get(slot.tensor)),
    );
    const children = tensors.map((tensor) => tensorItem(index, state, tensor, tensors));
    const storage = state.storages.get(row.storage ?? -1);
    if (storage === undefined)
      return { key: row.key, isFresh: false, parts: [say("text-no-storage")], children };
    return {
      key: row.key,
      isFresh: storage.is_written || isNewStorage(index, state, storage),
      parts: storageParts(index, state, storage, tensors),
      children,
    };
  });
}

/**
 * @param {string} id
 * @param {Sentence["args"]} [args]
 * @returns {Sentence}
 */
function say(id, args = {}) {
  return { id, args };
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {StorageState} storage
 */
function isNewStorage(index, state, { id }) {
  return (index.storages[id]?.born ?? 0) > state.before;
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {StorageState} storage
 * @param {TensorState[]} tensors
 */
function storageParts(index, state, storage, tensors) {
  const { id, nbytes, contents, freed, over } = storage;
  const name = `S${id}`;
  if (freed) return [say("text-storage-freed", { storage: name }), ...valuesOf(contents)];
  const device = index.storages[id]?.device ?? "cpu";
  const parts = [say("text-storage", { storage: name, bytes: bytes(nbytes), device }), ...valuesOf(contents)];
  if (storage.is_written) parts.push(...writtenParts(storage));
  else if (isNewStorage(index, state, storage)) parts.push(say("text-new"));
  if (tensors.length === 0)
    parts.push(
      ...retainersOfStorage(index, state, id)
        .slice(0, MOST_RETAINERS)
        .map(({ args }) => say("text-kept", args)),
    );
  const names = tensors.map((tensor) => `\`${nameOf(index, state, tensor.id)}\``);
  if (names.length > 1) parts.push(say("text-shared", { count: names.length, names: names.join(", ") }));
  const arrays = arraysOver(index, state, id);
  if (arrays.length > 0)
    parts.push(
      say("text-numpy", { names: arrays.map((name) => `\`${name}\``).join(", "), count: arrays.length }),
    );
  if (over !== null) parts.push(say("text-over", { other: `S${over}` }));
  return parts;
}

/** @param {TensorState | undefined} tensor */
function isFreshTensor(tensor) {
  return tensor !== undefined && (tensor.is_new || tensor.is_bumped);
}

/**
 * @param {Contents | null} contents
 * @returns {Sentence[]}
 */
function valuesOf(contents) {
  if (contents === null) return [say("text-values-unknown")];
  if (contents.kind === "unknown") return [say("text-values-hidden", { reason: contents.reason })];
  if (contents.kind === "cells")
    return contents.values.length === 0
      ? [say("text-values-none")]
      : [say("text-values", { dtype: contents.dtype, values: written(contents.values, contents.dtype) })];
  const { count, dtype, min, max, mean, nan_count, inf_count } = contents;
  const parts = [
    say("text-summary", {
      count,
      dtype,
      min: element(min, dtype),
      max: element(max, dtype),
      mean: element(mean, "float32"),
    }),
  ];
  return nan_count + inf_count === 0
    ? parts
    : [...parts, say("text-summary-odd", { nan: nan_count, inf: inf_count })];
}

/**
 * @param {Extract<Contents, {kind: "cells"}>["values"]} values
 * @param {string} dtype
 */
function written(values, dtype) {
  return (
    values
      .slice(0, MOST_VALUES)
      .map((value) => element(value, dtype))
      .join(", ") + (values.length > MOST_VALUES ? ", …" : "")
  );
}

/** @param {StorageState} storage */
function writtenParts({ contents, before }) {
  const isKnown =
    before?.kind === "cells" &&
    contents?.kind === "cells" &&
    JSON.stringify(before.values) !== JSON.stringify(contents.values);
  return [
    isKnown ? say("text-written-was", { values: written(before.values, before.dtype) }) : say("text-written"),
  ];
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 */
function nameOf(index, state, id) {
  return nameIn(index, state, id) ?? `Tensor ${id}`;
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {TensorState} tensor
 * @param {TensorState[]} beside looking at the same storage
 * @returns {Item}
 */
function tensorItem(index, state, tensor, beside) {
  const names =
    tensor.labels.length > 0
      ? tensor.labels.map((label) => `\`${label.text}\``).join(", ")
      : `\`${nameOf(index, state, tensor.id)}\``;
  const parts = [
    say(tensor.labels.length > 0 ? "text-tensor" : "text-tensor-unnamed", { names, type: tensor.type }),
    ...geometryParts(state, tensor.geometry),
  ];
  const node = tensor.node === null ? undefined : nodeName(index, tensor.node);
  parts.push(
    tensor.look === "result" && node !== undefined
      ? say("text-result", { node })
      : say(`text-look-${tensor.look}`),
  );
  parts.push(...versionParts(index, state, tensor, beside));
  const base = nameIn(index, state, tensor.base);
  if (base !== undefined) parts.push(say("text-view", { base }));
  else if (tensor.base !== null) parts.push(say("text-view-unnamed"));
  if (tensor.grad !== null) parts.push(gradPart(state, tensor.grad));
  else if (tensor.look === "leaf") parts.push(say("text-grad-none"));
  if (tensor.labels.length === 0)
    parts.push(...retainersOfTensor(index, state, tensor.id).slice(0, MOST_RETAINERS));
  if (tensor.is_new) parts.push(say("text-new"));
  return { key: `t${tensor.id}`, isFresh: isFreshTensor(tensor), parts, children: [] };
}

/**
 * @param {State} state
 * @param {Geometry | null} geometry
 * @returns {Sentence[]}
 */
function geometryParts(state, geometry) {
  if (geometry === null) return [];
  const { dtype, device, stride, storage_offset, layout, storage } = geometry;
  if (!hasShape(geometry)) return [say("text-shapeless", { dtype, device, layout })];
  const shape = shapeOf(geometry);
  if (stride === null) return [say("text-strideless", { shape, dtype, device, layout })];
  const parts = [
    say("text-geometry", { shape, stride: tuple(stride), offset: String(storage_offset), dtype, device }),
  ];
  const value = shownValue(geometry, state.storages.get(storage ?? -1)?.contents ?? null);
  return value === undefined
    ? parts
    : [...parts, say("text-reads", { value: value.startsWith("[") ? value : `\`${value}\`` })];
}

/**
 * The values of a small tensor, nested by its shape; undefined where the trace does not hold them.
 * @param {Geometry} geometry
 * @param {Contents | null} contents
 */
function shownValue(geometry, contents) {
  const { shape, stride, storage_offset, dtype, is_neg, is_conj } = geometry;
  const count = shape.reduce((product, size) => product * size, 1);
  if (
    contents?.kind !== "cells" ||
    contents.dtype !== dtype ||
    is_neg ||
    is_conj ||
    count === 0 ||
    count > MOST_VALUES
  )
    return undefined;
  if (stride === null || storage_offset === null || covered(geometry).length === 0) return undefined;
  let places = [storage_offset];
  for (const [dimension, size] of shape.entries())
    places = places.flatMap((place) =>
      Array.from({ length: size }, (_, at) => place + at * (stride[dimension] ?? 0)),
    );
  const values = places.map((place) => contents.values[place] ?? null);
  if (values.includes(null)) return undefined;
  return nested(
    { kind: "cells", dtype, values: /** @type {typeof contents.values} */ (values) },
    shape,
    Infinity,
  );
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {TensorState} tensor
 * @param {TensorState[]} beside
 * @returns {Sentence[]}
 */
function versionParts(index, state, { id, version, counter, is_bumped }, beside) {
  if (version === null) return [say("text-version-none")];
  const parts = [
    say(is_bumped ? "text-version-moved" : "text-version", {
      version: version === undefined ? "v?" : `v${version}`,
    }),
  ];
  const same = beside
    .filter((tensor) => tensor.id !== id && tensor.counter !== null && tensor.counter === counter)
    .map((tensor) => `\`${nameOf(index, state, tensor.id)}\``);
  return same.length === 0 ? parts : [...parts, say("text-version-shared", { names: same.join(", ") })];
}

/**
 * @param {State} state
 * @param {number} grad
 */
function gradPart(state, grad) {
  const geometry = state.tensors.get(grad)?.geometry ?? null;
  const value =
    geometry === null
      ? undefined
      : shownValue(geometry, state.storages.get(geometry.storage ?? -1)?.contents ?? null);
  return say("text-grad", {
    value: value ?? (geometry === null ? "?" : shapeOf(geometry)),
    storage: geometry?.storage == null ? "?" : `S${geometry.storage}`,
  });
}

/**
 * Every Node of the picture, oldest first, with its saved tensors, its edges, and the gradients on them.
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {boolean} isWhole whether a long list is listed whole
 * @returns {ItemList}
 */
export function graphOutline(index, layout, state, isWhole) {
  const folds = new Map(layout.boxes.filter((box) => box.fold !== null).map((box) => [box.node, box]));
  const shown = [...new Set(layout.boxes.map((box) => box.node))].sort((a, b) => a - b);
  const nodes = shown.map((id) => state.nodes.get(id)).filter((node) => node !== undefined);
  const isFresh = (/** @type {NodeState} */ node) => {
    const fold = folds.get(node.id)?.fold;
    const { active, is_new } = fold ? groupContentsAt(index, state, fold) : node;
    return active || is_new;
  };
  return listOf(nodes, isWhole, isFresh, (node) => {
    const box = folds.get(node.id);
    return box === undefined ? nodeItem(index, state, node) : foldItem(index, layout, state, box);
  });
}

/**
 * The item of one box of the picture.
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {GraphBox} box
 * @returns {Item | null}
 */
export function boxItem(index, layout, state, box) {
  const node = state.nodes.get(box.node);
  if (node === undefined) return null;
  return box.fold === null ? nodeItem(index, state, node) : foldItem(index, layout, state, box);
}

/**
 * The item of a folded group: its title and its contents.
 * @param {Index} index
 * @param {GraphLayout} layout
 * @param {State} state
 * @param {GraphBox} box
 * @returns {Item}
 */
function foldItem(index, layout, state, { key, fold }) {
  const { count, ran, active, is_new, freed, stale } = groupContentsAt(
    index,
    state,
    /** @type {NonNullable<typeof fold>} */ (fold),
  );
  const scopes = layout.groups[fold?.group ?? -1]?.scopes ?? [];
  const parts = [
    ...scopes.map(({ kind, ...args }) => say(`text-group-${kind}`, args)),
    say("text-group", { count }),
  ];
  if (active) parts.push(say("text-group-active"));
  if (ran > 0) parts.push(say("text-group-ran", { ran }));
  else if (is_new) parts.push(say("text-group-new"));
  if (stale) parts.push(say("text-group-stale"));
  if (freed) parts.push(say("text-group-freed"));
  return { key, isFresh: active || is_new, parts, children: [] };
}

/** The Nodes' names by id, numbered where several have the same name: `AddBackward0 #2`. */
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
function nodeName(index, id) {
  return nodeNames(index)[id] ?? "?";
}

/**
 * The name of a Node as another one refers to it.
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 */
function nodeTitle(index, state, id) {
  const { variable } = index.nodes[id] ?? {};
  return variable === undefined
    ? `\`${nodeName(index, id)}\``
    : `\`AccumulateGrad\` (\`${nameOf(index, state, variable)}\`)`;
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {NodeState} node
 * @returns {Item}
 */
function nodeItem(index, state, node) {
  const { id, labels, freed, active, ran, is_new } = node;
  const parts = [headPart(index, state, id)];
  if (labels.length > 0)
    parts.push(say("text-node-of", { names: labels.map((label) => `\`${label}\``).join(", ") }));
  const variable = index.nodes[id]?.variable;
  const grad = variable === undefined ? undefined : (state.tensors.get(variable)?.grad ?? null);
  if (grad === null) parts.push(say("text-grad-none"));
  else if (grad !== undefined) parts.push(gradPart(state, grad));
  if (active) parts.push(say("text-node-active"));
  else if (ran) parts.push(say("text-node-ran"));
  else if (is_new) parts.push(say("text-node-new"));
  if (freed) parts.push(say("text-node-freed"));
  return {
    key: `n${id}`,
    isFresh: active || is_new,
    parts,
    children: [
      ...nextItems(index, state, id),
      ...savedItems(index, state, id),
      ...flowItems(index, state, id),
    ],
  };
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 * @returns {Sentence}
 */
function headPart(index, state, id) {
  const made_by = index.nodes[id]?.made_by ?? -1;
  const line = index.stops[index.stop_of.get(made_by) ?? -1]?.line ?? 0;
  return say("text-node", { node: nodeTitle(index, state, id), line });
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 * @returns {Item[]}
 */
function nextItems(index, state, id) {
  const edges = index.nodes[id]?.edges ?? [];
  if (edges.length === 0) return [];
  const next = edges
    .map((edge) => (edge === null ? "`None`" : nodeTitle(index, state, edge.node)))
    .join(", ");
  return [{ key: "next", isFresh: false, parts: [say("text-next", { next })], children: [] }];
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 * @returns {Item[]}
 */
function savedItems(index, state, id) {
  return (index.saved_of[id] ?? [])
    .filter((saved) => state.saved.has(saved.id))
    .map((saved) => {
      const look = state.saved.get(saved.id) ?? "current";
      const [storage = "", version = ""] = pocketChip(saved).split("·");
      const what = { slot: pocketLabel(index, saved, state), storage, version };
      const kind = storage === "" ? "bare" : version === "" ? "unversioned" : "whole";
      return {
        key: `s${saved.id}`,
        isFresh: false,
        parts: [say(`text-saved-${kind}`, what), say(`text-saved-is-${look}`)],
        children: [],
      };
    });
}

/**
 * The gradients that it was given at the root, and those that it passed on.
 * @param {Index} index
 * @param {State} state
 * @param {number} id
 * @returns {Item[]}
 */
function flowItems(index, state, id) {
  return state.gradients
    .filter(({ gradient }) => gradient.node === id || (gradient.node === null && gradient.to === id))
    .map(({ gradient, fresh }) => {
      const value = nested(gradient.value, gradient.shape, 400);
      const part =
        gradient.node === null
          ? say("text-root", { value })
          : gradient.to === null
            ? say("text-sent-nowhere", { value })
            : say("text-sent", { value, to: nodeTitle(index, state, gradient.to) });
      return {
        key: `g${gradient.id}`,
        isFresh: fresh,
        parts: fresh ? [part, say("text-now")] : [part],
        children: [],
      };
    });
}
