/**
 * Owns the sentences about in-place writes: the written storage, the tensor through which it was written,
 * the other tensors whose values changed with it, and the version counters. Pure.
 */

import { addTo, grouped } from "../../run/grouped.js";
import { arraysOver } from "../../run/values/arrays.js";
import { covered, isValue, nested } from "../../run/values/format.js";
import { literal } from "../../run/legible.js";
import { recordsOf } from "../../run/lookups.js";
import { reaches } from "../../run/questions/reaching.js";
import { shown } from "../../run/values/shown.js";
import { called, code, row, writtenFrom } from "./phrases.js";
import { READ, spelt } from "../values.js";

/** @import {Contents, Write} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State, StorageState, TensorState} from "../../run/types.d.ts" */

const MOST = 4;

/**
 * The tensors with a name that use a storage, except a given tensor.
 * @param {Index} index
 * @param {State} state
 * @param {number} storage
 * @param {number | null} but
 */
export function sharers(index, { tensors }, storage, but) {
  const inStorage = index.lookups
    .tensors_in()(storage)
    .map(({ id }) => tensors.get(id))
    .filter((tensor) => tensor !== undefined);
  return inStorage.filter(
    (tensor) => tensor.id !== but && tensor.labels.length > 0 && tensor.geometry?.storage === storage,
  );
}

/**
 * The sentences about writes into storages that existed before the step, and about their effects. Storages
 * without a named tensor are only counted.
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before
 * @param {boolean} areGradsReported whether other sentences report writes into gradients
 * @returns {Sentence[]}
 */
export function writes(index, state, before, areGradsReported) {
  const isRaising = state.stop.kind === "exception" || index.stops[state.k + 1]?.kind === "exception";
  const found = state.writes.filter(
    (write) =>
      (index.storages[write.storage]?.born ?? 0) <= state.before && !(isRaising && isOnlyAnnounced(write)),
  );
  const all = [...grouped(found, (write) => write.storage)].map(([storage, storageWrites]) => ({
    storage,
    storageWrites,
    named: sharers(index, state, storage, null),
  }));
  const isOfGrad = (/** @type {TensorState[]} */ named) =>
    named.length > 0 && named.every((tensor) => tensor.labels.every((label) => label.is_grad));
  const shown = all.filter(({ named }) => named.length > 0 && !(areGradsReported && isOfGrad(named)));
  const sentences = shown
    .slice(0, MOST)
    .flatMap(({ storage, storageWrites, named }) =>
      writeInto(index, state, before, storage, storageWrites, named),
    );
  const isGrad = (/** @type {number} */ storage) =>
    index.lookups
      .tensors_in()(storage)
      .some((tensor) => index.lookups.owners_of()(tensor.id).length > 0);
  const unnamed = all.filter(
    ({ storage, storageWrites, named }) =>
      named.length === 0 &&
      storageWrites.some((write) => write.changed !== false) &&
      !(areGradsReported && isGrad(storage)),
  ).length;
  const more = Math.max(0, shown.length - MOST);
  if (more > 0) sentences.push({ id: "story-more-writes", args: { count: more } });
  if (unnamed > 0) sentences.push({ id: "story-wrote-unnamed", args: { count: unnamed } });
  return sentences;
}

/**
 * Whether a recorded write is only announced by its operator: it is not known whether bytes changed, and no
 * version counter moved.
 * @param {Write} write
 */
function isOnlyAnnounced({ changed, version_counter, tensor }) {
  return changed === null && version_counter === null && tensor !== null;
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before
 * @param {number} storage
 * @param {Write[]} storageWrites
 * @param {TensorState[]} named
 * @returns {Sentence[]}
 */
function writeInto(index, state, before, storage, storageWrites, named) {
  const write = storageWrites.find(({ changed }) => changed !== false) ?? storageWrites[0];
  if (write === undefined) return [];
  const isChanged = write.changed !== false;
  const moves = counters(index, state, before, write, named);
  if (!isChanged) {
    if (!moves.some(({ id }) => id.startsWith("story-moved"))) return [];
    // `set_` replaces the storage of a tensor instead of writing to it
    const placed = recordsOf(index.lookups.placed().within(state.before, state.tick));
    return placed.some(({ id }) => id === write.tensor)
      ? moves
      : [{ id: "story-wrote-same", args: { storage: `S${storage}` } }, ...moves];
  }
  const now = state.storages.get(storage);
  return [
    wrote(index, state, write, now),
    ...writtenFrom(index, write),
    ...readers(index, state, write, named, now),
    ...moves,
  ];
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Write} write
 * @param {StorageState | undefined} now
 * @returns {Sentence}
 */
function wrote(index, state, write, now) {
  const storage = `S${write.storage}`;
  if (write.tensor === null) return unseen(index, state, write);
  const isScalar = state.tensors.get(write.tensor)?.geometry?.shape.length === 0;
  const [from, to] = [now?.before, now?.contents].map((contents) => flat(contents ?? null, isScalar));
  const args = { storage, operator: write.operator ?? "none", name: called(index, state, write.tensor) };
  const isKnown = from !== undefined && to !== undefined && from !== to;
  return { id: "story-wrote", args: { ...args, from: isKnown ? from : "none", to: isKnown ? to : "none" } };
}

/**
 * The values of a small storage as text; undefined if they are too many or not recorded.
 * @param {Contents | null} contents
 * @param {boolean} isScalar whether its only element is a scalar instead of a row
 */
function flat(contents, isScalar) {
  if (contents?.kind !== "cells") return undefined;
  const count = contents.values.length;
  const text = nested(contents, isScalar && count === 1 ? [] : [count], READ);
  // Marked as plain text, because `[1.]` would be shown as a gradient.
  return isValue(text) ? literal(spelt(text)) : undefined;
}

/**
 * Whether other threads were running during the shown step or during the step of a write.
 * @param {Index} index
 * @param {State} state
 * @param {Write["step"]} step
 */
function isBesideThreads(index, state, step) {
  return state.stop.step.other_threads === true || index.steps[step ?? -1]?.other_threads === true;
}

/**
 * The sentence about a write that no recorded operator made.
 * @param {Index} index
 * @param {State} state
 * @param {Write} write
 * @returns {Sentence}
 */
function unseen(index, state, { storage: id, step, version_counter }) {
  const storage = `S${id}`;
  const over = writtenOver(state, id);
  if (over !== null) return { id: "story-wrote-over", args: { storage, other: `S${over}` } };
  if (isBesideThreads(index, state, step)) return { id: "story-wrote-thread", args: { storage } };
  const array = arraysOver(index, state, id)[0];
  if (version_counter === null && array !== undefined)
    return { id: "story-wrote-numpy", args: { storage, name: array } };
  return { id: version_counter === null ? "story-wrote-behind" : "story-wrote-unseen", args: { storage } };
}

/**
 * The other storage with the same bytes through which a recorded operator wrote them; null if there is none.
 * @param {State} state
 * @param {number} storage
 */
function writtenOver(state, storage) {
  const over = state.storages.get(storage)?.over ?? null;
  return state.writes.some((write) => write.storage === over && write.tensor !== null) ? over : null;
}

/**
 * The sentences about the other tensors that use a written storage, with their new values.
 * @param {Index} index
 * @param {State} state
 * @param {Write} write
 * @param {TensorState[]} named
 * @param {StorageState | undefined} now
 * @returns {Sentence[]}
 */
function readers(index, state, write, named, now) {
  const others = named.filter((tensor) => tensor.id !== write.tensor);
  const storage = `S${write.storage}`;
  const [one] = others;
  if (one !== undefined && others.length === 1) {
    const value = readOf(one, now?.contents ?? null);
    const name = one.labels[0]?.text ?? "";
    const sees = looksAt(index, one, state.writes, now);
    if (sees === "no") return [{ id: "story-reads-elsewhere", args: { name, storage } }];
    if (sees === "unknown") return [];
    return [
      value === undefined
        ? { id: "story-reads-too", args: { names: [code(name)], storage, count: 1 } }
        : { id: "story-reads-too-value", args: { name, storage, value } },
    ];
  }
  const seeing = others.filter((tensor) => looksAt(index, tensor, state.writes, now) === "yes");
  return seeing.length === 0
    ? []
    : [
        {
          id: "story-reads-too",
          args: {
            names: row(
              seeing.map((tensor) => code(tensor.labels[0]?.text ?? "")),
              3,
            ),
            storage,
            count: seeing.length,
          },
        },
      ];
}

/**
 * The values of a tensor as text; undefined if they are too many or unknown.
 * @param {TensorState} tensor
 * @param {Contents | null} contents
 */
function readOf({ geometry }, contents) {
  const text = geometry === null ? "?" : shown(geometry, contents, READ);
  return isValue(text) ? literal(spelt(text)) : undefined;
}

/**
 * Whether the values of a tensor are among the bytes that changed; "unknown" if the recording does not say.
 * @param {Index} index
 * @param {TensorState} tensor
 * @param {readonly Write[]} all
 * @param {StorageState | undefined} now
 * @returns {"yes" | "no" | "unknown"}
 */
function looksAt(index, { geometry }, all, now) {
  if (geometry === null || geometry.stride === null) return "unknown";
  const [before, after] = [now?.before, now?.contents];
  if (
    before?.kind === "cells" &&
    after?.kind === "cells" &&
    before.dtype === after.dtype &&
    after.dtype === geometry.dtype
  ) {
    return covered(geometry).some(
      (place) => JSON.stringify(before.values[place]) !== JSON.stringify(after.values[place]),
    )
      ? "yes"
      : "no";
  }
  const met = all.map((write) => reaches(index, write, geometry));
  if (met.every((one) => one === false)) return "no";
  return met.includes(true) && all.every((write) => write.changed === true) ? "yes" : "unknown";
}

/**
 * The sentences about version counters of the tensors in a written storage: which of them moved, and why
 * another did not.
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before
 * @param {Write} write
 * @param {TensorState[]} named
 * @returns {Sentence[]}
 */
function counters(index, state, before, write, named) {
  /** @type {Map<number, TensorState[]>} */
  const found = new Map();
  for (const tensor of named)
    if (tensor.counter !== null && typeof tensor.version === "number") addTo(found, tensor.counter, tensor);
  const movedFirst = [...found].sort(
    ([, a], [, b]) =>
      Number(b.some((tensor) => tensor.is_bumped)) - Number(a.some((tensor) => tensor.is_bumped)),
  );
  return movedFirst.slice(0, 3).flatMap(([counter, tensors]) => {
    const [first] = tensors;
    if (first === undefined) return [];
    const names = row(
      tensors.map((tensor) => code(tensor.labels[0]?.text ?? "")),
      3,
    );
    const was = tensors
      .map((tensor) => before?.tensors.get(tensor.id)?.version)
      .find((version) => typeof version === "number");
    const args = { names, count: tensors.length, from: was ?? -1, to: first.version ?? -1 };
    if (tensors.some((tensor) => tensor.is_bumped)) return [{ id: "story-moved", args }];
    // torch increments a counter after it wrote the bytes, so a write by another thread may not be complete
    // yet.
    const isUnfinished = write.tensor === null && isBesideThreads(index, state, write.step);
    return write.changed === false || write.version_counter === counter || isUnfinished
      ? []
      : [still(index, state, write, args)];
  });
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Write} write
 * @param {Sentence["args"]} args
 * @returns {Sentence}
 */
function still(index, state, write, args) {
  const over = writtenOver(state, write.storage);
  const why =
    over !== null
      ? "over"
      : write.tensor === null
        ? "unseen"
        : write.version_counter === null
          ? "none"
          : "other";
  return {
    id: "story-still",
    args: { ...args, why, through: called(index, state, write.tensor), over: `S${over}` },
  };
}
