/**
 * Owns the text view of memory: the content of the picture at a step, as nested items of sentences. Pure.
 */

import { arraysOver } from "../../run/values/arrays.js";
import { clashesOf } from "../../run/values/clashes.js";
import { bytes, element, hasShape, shapeOf, tuple } from "../../run/values/format.js";
import { wrongAt } from "../../run/values/wrong-gradients.js";
import { boxOfCell } from "../../layout/cell-axes.js";
import { foldContentsAt } from "../../layout/folds/fold-contents.js";
import { FREED } from "../../layout/folds/freed-folds.js";
import { rowsAt, slotsAt, takenFrom } from "../../layout/memory-rows.js";
import { storagePointer, tensorPointers } from "../../run/naming/addresses.js";
import { printsPointers } from "../../run/naming/pointers.js";
import { unreadOf } from "../../run/questions/reach.js";
import { retainersOfStorage, retainersOfTensor } from "../../run/retainers.js";
import { nameIn } from "../../run/naming/naming.js";
import { MOST_VALUES, listOf, say, nameOf, shownValue, gradParts, nodeName } from "./outline.js";

/** @import {Contents, Geometry} from "../../run/trace.d.ts" */
/**
 * @import {FoldedStorages, Index, MemoryLayout, MemoryRow, Sentence, State, StorageState, Strip,
 *   TensorState} from "../../run/types.d.ts"
 */
/** @import {WrongGrad} from "../../run/values/wrong-gradients.js" */
/** @import {Item, ItemList} from "./outline.js" */

/** The maximum number of objects that the text lists as keeping a storage or a tensor alive. */
const MOST_RETAINERS = 20;

/**
 * A list of all storages in the picture, each with its tensors.
 * @param {Index} index
 * @param {MemoryLayout} layout
 * @param {State} state
 * @param {boolean} isWhole whether a long list is complete
 * @returns {ItemList}
 */
export function memoryOutline(index, layout, state, isWhole) {
  const rows = rowsAt(layout, state);
  const isFresh = (/** @type {MemoryRow} */ row) => {
    const storage = state.storages.get(row.storage ?? -1);
    return (
      (row.fold !== null && isFreshFold(foldContentsAt(index, state, row.fold))) ||
      (storage !== undefined && (storage.is_written || isNewStorage(index, state, storage))) ||
      slotsAt(row, state).some(({ tensor }) => isFreshTensor(state.tensors.get(tensor)))
    );
  };
  return listOf(rows, isWhole, isFresh, (row) => {
    if (row.fold !== null) return foldItem(index, state, row, row.fold);
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
      parts: storageParts(index, state, row, storage, tensors),
      children,
    };
  });
}

/** @param {ReturnType<typeof foldContentsAt>} contents */
function isFreshFold({ isNew, isWritten, about }) {
  return isNew || isWritten || about !== null;
}

/**
 * The list item for a folded group of storages, or for the title of an open group.
 * @param {Index} index
 * @param {State} state
 * @param {MemoryRow} row
 * @param {FoldedStorages} fold
 * @returns {Item}
 */
export function foldItem(index, state, { key }, fold) {
  const contents = foldContentsAt(index, state, fold);
  const { count, born, isFreed, isNew, savers, roles, about } = contents;
  const isFresh = isFreshFold(contents);
  const parts = fold.group.scopes.map(({ kind, ...args }) => say(`text-group-${kind}`, args));
  if (fold.group.key === FREED) {
    const what = fold.isOpen ? "text-all-freed-open" : "text-all-freed";
    return { key, isFresh, parts: [say(what, { count })], children: [] };
  }
  const isModule = fold.members[0]?.role !== "kept";
  const size = bytes(contents.bytes);
  if (fold.isOpen) {
    const what = isModule ? "text-module-open" : "text-storages-open";
    return { key, isFresh, parts: [...parts, say(what)], children: [] };
  }
  if (isFreed) parts.push(say("text-storages-freed", { count: born }));
  else if (isModule) {
    const held = roles.map(({ name, count: of }) => say("storages-role", { role: name, count: of }));
    parts.push(say("text-module", { held, bytes: size }));
    if (about !== null)
      parts.push(
        say(`text-module-${about.what}`, { names: about.names.map((name) => `\`${name}\``).join(", ") }),
      );
  } else {
    parts.push(say("text-storages", { count, bytes: size }));
    if (savers.length > 0)
      parts.push(say("text-storages-saved", { nodes: savers.map((name) => `\`${name}\``).join(", ") }));
    if (isNew) parts.push(say("text-storages-new"));
  }
  if (!isFreed && contents.stale > 0) parts.push(say("text-storages-stale", { count: contents.stale }));
  return { key, isFresh, parts, children: [] };
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
 * @param {MemoryRow} row
 * @param {StorageState} storage
 * @param {TensorState[]} tensors
 */
function storageParts(index, state, row, storage, tensors) {
  const { id, nbytes, contents, freed, over } = storage;
  const name = `S${id}`;
  if (freed) return [say("text-storage-freed", { storage: name }), ...valuesOf(contents, row.strip)];
  const device = index.storages[id]?.device ?? "cpu";
  const parts = [
    say("text-storage", { storage: name, bytes: bytes(nbytes), device }),
    ...valuesOf(contents, row.strip),
    ...unreadOf(index, id, state.tick).map(({ id, args }) => say(id, args)),
  ];
  const wrong = wrongAt(index, state).storages.get(id);
  if (wrong !== undefined) parts.push(wrongPart(wrong));
  const taken = takenFrom(index, row, state);
  if (storage.is_written) parts.push(...writtenParts(storage, row.strip));
  else if (taken === null && isNewStorage(index, state, storage)) parts.push(say("text-new"));
  if (taken !== null) parts.push(say("text-row-taken", taken));
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
  if (printsPointers(index)) parts.push(...storagePointer(index, id, state.tick));
  return parts;
}

/** @param {WrongGrad} wrong */
function wrongPart({ cells, count }) {
  if (cells === null || cells.size > MOST_VALUES)
    return say("text-cells-wrong-many", { count: cells?.size ?? count, all: count });
  return say("text-cells-wrong", { values: [...cells.values()].join(", "), count: cells.size });
}

/** @param {TensorState | undefined} tensor */
function isFreshTensor(tensor) {
  return tensor !== undefined && (tensor.is_new || tensor.is_bumped);
}

/**
 * @param {Contents | null} contents
 * @param {Strip | null} strip
 * @returns {Sentence[]}
 */
function valuesOf(contents, strip) {
  if (contents === null) return [say("text-values-unknown")];
  if (contents.kind === "unknown") return [say("text-values-hidden", { reason: contents.reason })];
  if (contents.kind === "cells")
    return contents.values.length === 0
      ? [say("text-values-none")]
      : [
          say("text-values", {
            dtype: contents.dtype,
            values: written(contents.values, contents.dtype, strip),
          }),
        ];
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
 * The elements of a storage in order, as text. Of many elements, only those whose cells the picture shows
 * are listed.
 * @param {Extract<Contents, {kind: "cells"}>["values"]} all
 * @param {string} dtype
 * @param {Strip | null} strip
 */
function written(all, dtype, strip) {
  const values = strip?.mode === "cells" ? all.slice(0, strip.count) : all;
  if (values.length <= MOST_VALUES) return values.map((value) => element(value, dtype)).join(", ");
  const shown = values.map((value, cell) => {
    const isShown = strip?.mode === "cells" ? !boxOfCell(strip, cell).isHidden : cell < MOST_VALUES;
    return isShown ? element(value, dtype) : "…";
  });
  return shown.filter((text, cell) => text !== "…" || shown[cell - 1] !== "…").join(", ");
}

/**
 * @param {StorageState} storage
 * @param {Strip | null} strip
 */
function writtenParts({ contents, before }, strip) {
  const isKnown =
    before?.kind === "cells" &&
    contents?.kind === "cells" &&
    JSON.stringify(before.values) !== JSON.stringify(contents.values);
  return [
    isKnown
      ? say("text-written-was", { values: written(before.values, before.dtype, strip) })
      : say("text-written"),
  ];
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {TensorState} tensor
 * @param {TensorState[]} beside other tensors of the same storage
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
    ...clashesOf(index, state, tensor).map(({ dimension, actual, other }) =>
      dimension === null
        ? say("text-clash-dtype", { actual, other })
        : say("text-clash", { dimension, actual, other }),
    ),
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
  if (tensor.grad !== null) parts.push(...gradParts(index, state, tensor.grad));
  else if (tensor.look === "leaf") parts.push(say("text-grad-none"));
  if (tensor.labels.length === 0)
    parts.push(...retainersOfTensor(index, state, tensor.id).slice(0, MOST_RETAINERS));
  if (tensor.is_new) parts.push(say("text-new"));
  if (printsPointers(index)) parts.push(...tensorPointers(index, tensor.id, state.tick));
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
  if (stride === null || storage_offset === null)
    return [say("text-strideless", { shape, dtype, device, layout })];
  const parts = [
    say("text-geometry", { shape, stride: tuple(stride), offset: storage_offset, dtype, device }),
  ];
  const value = shownValue(geometry, state.storages.get(storage ?? -1)?.contents ?? null);
  return value === undefined
    ? parts
    : [...parts, say("text-reads", { value: value.startsWith("[") ? value : `\`${value}\`` })];
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
