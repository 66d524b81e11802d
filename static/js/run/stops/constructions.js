/**
 * Owns which stops lie within the construction of an `nn.Module`, and to which stop a step leads that skips
 * them. Pure.
 */

import { at } from "../facts.js";
import { isBuffer } from "../naming/naming.js";
import { perRun } from "../per-run.js";
import { innermost, parentOf } from "../step-tree.js";
import { stopIndexOf } from "./stop-index.js";

/** @import {Index, State, Stop} from "../types.d.ts" */

/**
 * @typedef {object} Construction The stops of a construction, which one step passes.
 * @property {number} from its first stop
 * @property {number} to its last stop
 * @property {number} over the stop at the end of the constructing statement; -1: the run has none
 * @property {number} parent index of the construction around it; -1: none
 * @property {number[]} frames the frames of constructors, in order
 */
/**
 * @typedef {object} Constructions
 * @property {Construction[]} all in order of their first stops, so each comes after those around it
 * @property {Int32Array} innermost by stop, the index of the innermost construction around it; -1: none
 * @property {Set<number>} shown stops within constructions that a step does not pass
 */

/**
 * @typedef {object} Constructed What a statement constructed.
 * @property {string[]} classes
 * @property {number} steps
 * @property {number} parameters
 * @property {number} elements of the Parameters
 * @property {number} buffers
 * @property {number} others other tensors
 */

/** @type {Constructions} */
const NONE = { all: [], innermost: new Int32Array(0), shown: new Set() };

/**
 * The constructions of `nn.Module`s in a run. Within a construction, a step stops only at exceptions and at
 * findings that are errors or warnings.
 * @param {Index} index
 * @returns {Constructions}
 */
export const constructionsOf = perRun((/** @type {Index} */ index) => {
  const chains = chainsOf(index);
  if (chains === null) return NONE;
  const { warned, hinted } = stopIndexOf(index);
  /** @type {Constructions} */
  const constructions = {
    all: [],
    innermost: new Int32Array(index.stops.length).fill(-1),
    shown: new Set(warned.filter((k) => !hinted.has(k))),
  };
  /** @type {{statement: number, place: number}[]} */
  const open = [];
  for (const [k, stop] of index.stops.entries()) {
    const chain = chains[frameOf(index, stop)] ?? [];
    if (stop.kind === "exception") constructions.shown.add(k);
    const same = open.findIndex(({ statement }, depth) => chain[depth]?.statement !== statement);
    if (same >= 0) open.length = same;
    for (const { statement } of chain.slice(open.length)) {
      const parent = open.at(-1)?.place ?? -1;
      const over = index.stop_of.get(statement) ?? -1;
      open.push({
        statement,
        place: constructions.all.push({ from: k, to: k, over, parent, frames: [] }) - 1,
      });
    }
    for (const [depth, { place }] of open.entries()) {
      const [construction, frame] = [constructions.all[place], chain[depth]?.frame];
      if (construction === undefined || frame === undefined) continue;
      construction.to = k;
      if (construction.frames.at(-1) !== frame) construction.frames.push(frame);
    }
    constructions.innermost[k] = open.at(-1)?.place ?? -1;
  }
  for (const construction of constructions.all)
    if (construction.over <= construction.to) construction.over = -1;
  return constructions;
});

/**
 * For each frame, the constructors of Modules during which it runs, outermost first, each with the statement
 * that called it. A constructor's frame is included in its own list. null if the run constructs no Module.
 * @param {Index} index
 * @returns {{statement: number, frame: number}[][] | null}
 */
function chainsOf({ frames, steps }) {
  if (!frames.some(({ constructs }) => constructs !== undefined)) return null;
  /** @type {Map<number, number | undefined>} */
  const callers = new Map();
  for (const step of steps) {
    const call = parentOf(steps, step);
    if (call !== undefined && step.frame !== undefined && !callers.has(step.frame))
      callers.set(step.frame, innermost(steps, call, "statement")?.id);
  }
  /** @type {{statement: number, frame: number}[][]} */
  const chains = [];
  for (const { id, parent, constructs } of frames) {
    const around = chains[parent ?? -1] ?? [];
    const statement = callers.get(id);
    const isOne = constructs !== undefined && statement !== undefined;
    chains.push(isOne ? [...around, { statement, frame: id }] : around);
  }
  return chains;
}

/**
 * @param {Index} index
 * @param {Stop} stop
 */
function frameOf({ steps }, { step }) {
  return step.frame ?? innermost(steps, step, "statement")?.frame ?? 0;
}

/**
 * The outermost construction that contains stop `k` but not stop `from`; undefined if there is none.
 * @param {Constructions} constructions
 * @param {number} k
 * @param {number} from
 * @returns {Construction | undefined}
 */
export function constructionBetween(constructions, k, from) {
  /** @type {Construction | undefined} */
  let found;
  for (
    let construction = constructions.all[constructions.innermost[k] ?? -1];
    construction !== undefined && (from < construction.from || construction.to < from);
    construction = constructions.all[construction.parent]
  )
    found = construction;
  return found;
}

/**
 * Whether a step from stop `from` skips stop `k`, because `k` lies within a construction that does not
 * contain `from`.
 * @param {Constructions} constructions
 * @param {number} k
 * @param {number} from
 */
export function isPassed(constructions, k, from) {
  return !constructions.shown.has(k) && constructionBetween(constructions, k, from) !== undefined;
}

/**
 * The stop to which a step from stop `k` leads, without the stops of constructions. If only a construction
 * follows, the step leads to the last or the first stop of the run.
 * @param {Constructions} constructions
 * @param {number} count of stops
 * @param {number} k
 * @param {1 | -1} direction
 */
export function stopBeside(constructions, count, k, direction) {
  let next = k + direction;
  while (next > 0 && next < count - 1 && isPassed(constructions, next, k)) next += direction;
  return Math.max(0, Math.min(next, count - 1));
}

/**
 * The constructions whose constructing statement ends at a stop.
 * @param {Constructions} constructions
 * @param {number} k
 */
export function endingAt(constructions, k) {
  return constructions.all.filter(({ over }) => over === k);
}

/**
 * The first of the stops that a step to stop `k` skips; null if the step skips none.
 * @param {Constructions} constructions
 * @param {number} k
 */
export function passedBefore(constructions, k) {
  const before = stopBeside(constructions, k + 2, k, -1);
  return before + 1 < k ? before + 1 : null;
}

/**
 * Builds constructions from flags: each sequence of stops with a flag becomes one construction, which a step
 * skips.
 * @param {boolean[]} passed
 * @returns {Constructions}
 */
export function runsOfPassed(passed) {
  /** @type {Constructions} */
  const constructions = { all: [], innermost: new Int32Array(passed.length).fill(-1), shown: new Set() };
  for (const [k, isIn] of passed.entries()) {
    if (!isIn) continue;
    const last = constructions.all.at(-1);
    if (last?.to === k - 1) {
      last.to = k;
      last.over = k + 1 < passed.length ? k + 1 : -1;
    } else
      constructions.all.push({
        from: k,
        to: k,
        over: k + 1 < passed.length ? k + 1 : -1,
        parent: -1,
        frames: [],
      });
    constructions.innermost[k] = constructions.all.length - 1;
  }
  return constructions;
}

/**
 * The first stop within the construction that ends at stop `k`; undefined if no construction ends there.
 * @param {Constructions} constructions
 * @param {number} k
 * @returns {number | undefined}
 */
export function openedFrom({ all, innermost: around }, k) {
  const place = all.findIndex(({ over }) => over === k);
  const { from, to } = all[place] ?? { from: 0, to: -1 };
  for (let inside = from; inside <= to; inside += 1) if (around[inside] === place) return inside;
  return place < 0 ? undefined : from;
}

/**
 * The stop at the end of the innermost construction around a stop, or the stop before the construction if
 * the run did not reach its end; undefined if the stop lies in no construction.
 * @param {Constructions} constructions
 * @param {number} k
 * @returns {number | undefined}
 */
export function closedFrom({ all, innermost: around }, k) {
  const construction = all[around[k] ?? -1];
  if (construction === undefined) return undefined;
  return construction.over >= 0 ? construction.over : Math.max(0, construction.from - 1);
}

/**
 * The number of stops in a construction.
 * @param {Construction} construction
 */
export function sizeOf({ from, to }) {
  return to - from + 1;
}

/**
 * What the statement that ends at a stop constructed: the classes of its Modules, and counts of the tensors
 * that their constructors created and that are still alive. null if the statement raised an exception or
 * constructed no Module.
 * @param {Index} index
 * @param {State} state
 * @returns {Constructed | null}
 */
export function constructedAt(index, { k, tick, stop }) {
  const constructions = endingAt(constructionsOf(index), k);
  if (constructions.length === 0 || stop.kind === "exception") return null;
  /** @type {Constructed} */
  const made = { classes: [], steps: 0, parameters: 0, elements: 0, buffers: 0, others: 0 };
  for (const construction of constructions) {
    made.steps += sizeOf(construction);
    for (const frame of construction.frames) {
      const { constructs = "?", began = 0, ended = tick } = index.frames[frame] ?? {};
      made.classes.push(constructs);
      for (const { id } of index.lookups.born.tensors().within(began, ended)) {
        const tensor = index.tensors[id];
        if (tensor === undefined || (tensor.died !== undefined && tensor.died <= tick)) continue;
        const geometry = at(tensor.geometry, tick);
        const isParameter = tensor.type === "Parameter";
        made[isParameter ? "parameters" : isBuffer(index, id) ? "buffers" : "others"] += 1;
        if (isParameter) made.elements += (geometry?.shape ?? []).reduce((all, size) => all * size, 1);
      }
    }
  }
  return made;
}
