/**
 * Owns the stops at which an item of the pictures (a name, a tensor, a storage or a cell) is created,
 * written, moved or freed. Pure.
 */

import { stopAtTick } from "./facts.js";
import { covered, itemsize } from "./values/format.js";
import { perRun } from "./per-run.js";

/** @import {Contents, Geometry, Tensor} from "./trace.d.ts" */
/** @import {Change, Index, Subject} from "./types.d.ts" */

/** @typedef {[number, Change["what"][number]][]} Entries */

const changesBySubject = perRun(
  (/** @type {Index} */ _index) => /** @type {Map<string, Change[]>} */ (new Map()),
);

/**
 * The stops at which a name, tensor, storage or cell changed, in order.
 * @param {Index} index
 * @param {Subject} subject
 * @returns {Change[]}
 */
export function changesOf(index, subject) {
  const found = changesBySubject(index);
  const key = `${subject.kind} ${subject.id} ${subject.cell ?? ""}`;
  const changes = found.get(key) ?? byStop(index, ticksOf(index, subject));
  found.set(key, changes);
  return changes;
}

/**
 * The nearest change after a stop (direction 1) or before it (-1); undefined if there is none.
 * @param {Change[]} changes
 * @param {number} k
 * @param {1 | -1} direction
 */
export function changeFrom(changes, k, direction) {
  return direction === 1
    ? changes.find((change) => change.k > k)
    : changes.findLast((change) => change.k < k);
}

/**
 * @param {Index} index
 * @param {Entries} entries
 * @returns {Change[]}
 */
function byStop(index, entries) {
  /** @type {Map<number, Set<Change["what"][number]>>} */
  const found = new Map();
  for (const [tick, what] of entries.sort(([a], [b]) => a - b)) {
    const k = stopAtTick(index, tick);
    found.set(k, (found.get(k) ?? new Set()).add(what));
  }
  return [...found].map(([k, what]) => ({ k, what: [...what] }));
}

/**
 * @param {Index} index
 * @param {Subject} subject
 * @returns {Entries}
 */
function ticksOf(index, { kind, id, cell = 0 }) {
  if (kind === "fold") return [];
  if (kind === "storage") return ofStorage(index, id);
  if (kind === "cell") return ofCell(index, id, cell);
  if (kind === "tensor") return ofTensor(index, id, -1, Infinity);
  if (kind === "grad") return ofPath(index, index.tensors[id]?.grad ?? [], Infinity);
  const name = index.names[id];
  const frame = name === undefined || name.frame === 0 ? undefined : index.frames[name.frame];
  return ofPath(index, name?.tensor ?? [], frame?.ended ?? Infinity);
}

/**
 * @param {Index} index
 * @param {number} id
 * @returns {Entries}
 */
function ofStorage(index, id) {
  const storage = index.storages[id];
  if (storage === undefined) return [];
  /** @type {Entries} */
  const entries = [[storage.born, "made"]];
  const note = (/** @type {[number, unknown][]} */ facts, /** @type {Change["what"][number]} */ what) => {
    for (const [tick] of facts) if (tick > storage.born) entries.push([tick, what]);
  };
  note((storage.contents ?? []).slice(1), "written");
  note((storage.nbytes ?? []).slice(1), "resized");
  note(storage.moved ?? [], "moved");
  if (storage.freed !== undefined) entries.push([storage.freed, "freed"]);
  return entries;
}

/**
 * The ticks at which the value of a cell changes.
 * @param {Index} index
 * @param {number} id
 * @param {number} cell
 * @returns {Entries}
 */
function ofCell(index, id, cell) {
  const facts = index.storages[id]?.contents ?? [];
  const valueAt = (/** @type {number} */ place) => {
    const contents = facts[place]?.[1];
    return contents?.kind === "cells" ? JSON.stringify(contents.values[cell]) : undefined;
  };
  const written = facts.filter((_, place) => place > 0 && valueAt(place) !== valueAt(place - 1));
  const others = ofStorage(index, id).filter(([, what]) => what !== "written");
  return [...others, ...written.map(([tick]) => /** @type {Entries[number]} */ ([tick, "written"]))];
}

/**
 * The changes of a path such as `model.fc.weight`: bindings to another tensor, and the changes of each
 * tensor while the path is bound to it.
 * @param {Index} index
 * @param {[number, number | null][]} facts
 * @param {number} over tick at which the path no longer exists
 * @returns {Entries}
 */
function ofPath(index, facts, over) {
  /** @type {Entries} */
  const entries = [];
  for (const [number, [from, tensor]] of facts.entries()) {
    const until = Math.min(facts[number + 1]?.[0] ?? Infinity, over);
    const inBetween =
      tensor === null
        ? []
        : ofTensor(index, tensor, from, until).filter(
            ([tick, what]) => tick > from && what !== "made" && what !== "gone",
          );
    if (tensor !== null || number > 0)
      entries.push([from, tensor === null ? "unbound" : "bound"], ...inBetween);
  }
  if (over !== Infinity && facts.length > 0) entries.push([over, "unbound"]);
  return entries;
}

/**
 * @param {Index} index
 * @param {number} id
 * @param {number} from
 * @param {number} until
 * @returns {Entries}
 */
function ofTensor(index, id, from, until) {
  const tensor = index.tensors[id];
  if (tensor === undefined) return [];
  const end = Math.min(until, tensor.died ?? Infinity);
  /** @type {Entries} */
  const entries = [[tensor.born, "made"], ...values(index, tensor, from, end)];
  const note = (
    /** @type {[number, unknown][] | undefined} */ facts,
    /** @type {Change["what"][number]} */ what,
  ) => {
    for (const [number, [tick, value]] of (facts ?? []).entries())
      if (number > 0 || (tick > tensor.born && value !== null)) entries.push([tick, what]);
  };
  note(tensor.geometry, "geometry");
  note(tensor.grad, "grad");
  note(tensor.grad_fn, "grad_fn");
  note(tensor.requires_grad, "requires_grad");
  for (const [number, [since, counter]] of (tensor.version_counter ?? []).entries()) {
    const to = Math.min(tensor.version_counter?.[number + 1]?.[0] ?? Infinity, end);
    const versions = typeof counter === "number" ? (index.version_counters[counter]?.version ?? []) : [];
    for (const [tick] of versions) if (tick > since && tick < to) entries.push([tick, "version"]);
  }
  if (tensor.died !== undefined) entries.push([tensor.died, "gone"]);
  return entries.filter(([tick]) => tick >= from && tick < until);
}

/**
 * The ticks at which the elements of a tensor change.
 * @param {Index} index
 * @param {Tensor} tensor
 * @param {number} from
 * @param {number} end
 * @returns {Entries}
 */
function values(index, tensor, from, end) {
  /** @type {Entries} */
  const entries = [];
  for (const [number, [since, geometry]] of (tensor.geometry ?? []).entries()) {
    const until = Math.min(tensor.geometry?.[number + 1]?.[0] ?? Infinity, end);
    const facts = index.storages[geometry.storage ?? -1]?.contents ?? [];
    for (const [place, [tick, contents]] of facts.entries()) {
      const before = facts[place - 1]?.[1];
      if (before === undefined || tick <= Math.max(since, from) || tick >= until) continue;
      if (reads(index, geometry, [facts[place - 1]?.[0] ?? 0, tick], before, contents))
        entries.push([tick, "written"]);
    }
  }
  return entries;
}

/**
 * Whether a write changes an element of a tensor. If elements were not recorded, a write to bytes of the
 * tensor counts as a change.
 * @param {Index} index
 * @param {Geometry} geometry
 * @param {[number, number]} ticks
 * @param {Contents} before
 * @param {Contents} after
 */
function reads(index, geometry, [since, tick], before, after) {
  const elements = covered(geometry);
  if (
    before.kind === "cells" &&
    after.kind === "cells" &&
    before.dtype === after.dtype &&
    after.dtype === geometry.dtype
  ) {
    return elements.some(
      (number) => JSON.stringify(before.values[number]) !== JSON.stringify(after.values[number]),
    );
  }
  const size = itemsize(geometry.dtype);
  const [low, high] = [(elements[0] ?? 0) * size, ((elements.at(-1) ?? 0) + 1) * size];
  const writes = index.writes.filter(
    (write) => write.storage === geometry.storage && write.tick > since && write.tick <= tick,
  );
  return (
    elements.length > 0 &&
    (writes.length === 0 || writes.some((write) => write.begin < high && write.end > low))
  );
}
