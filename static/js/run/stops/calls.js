/**
 * Owns the call stack at a stop: the active frames of the snippet, the line of each, and the values of its
 * variables. Pure.
 */

import { told } from "../places.js";
import { at } from "../facts.js";
import { perTrace } from "../per-run.js";
import { finished } from "../slices.js";
import { firstWhere } from "../sorted.js";
import { parentOf } from "../step-tree.js";

/** @import {Held, Step} from "../trace.d.ts" */
/** @import {Index, State} from "../types.d.ts" */

/**
 * @typedef {{
 *   path: string,
 *   since: number,
 *   variable: number | null,
 *   name: number | null,
 *   rank: number,
 * }} Slot `since`: tick of the first binding; `rank`: its container's rank
 */
/**
 * @typedef {object} Entry The value of one path of a frame: a tensor, or another object.
 * @property {string} path
 * @property {Held | null} held
 * @property {number | null} tensor
 * @property {number | null} name id of the tensor's name
 * @property {Held | null} was
 * @property {"new" | "changed" | null} change in this step
 */
/**
 * @typedef {{
 *   frame: number,
 *   function: string,
 *   line: number | string,
 *   call: number,
 *   calls: number,
 *   entries: Entry[],
 *   hidden: number,
 *   omitted: number,
 * }} Call `hidden`: number of tensors and variables that are not listed; `omitted`: number of frames omitted
 * before this one
 */

/** The maximum number of listed tensors of one container, such as a list of weights. */
const MOST = 8;
/** Work in slices may be interrupted after this number of variables. */
const PAUSE = 1000;
/**
 * The maximum number of variables that the call stack lists for one frame, and the maximum number of frames.
 * If there are more frames, the outermost frame and the innermost frames are listed.
 */
export const MOST_LISTED = { variables: 100, frames: 20 };

/**
 * The active frames of the snippet at a stop, from the frame of the module to the innermost.
 * @param {Index} index
 * @param {State} state
 * @returns {Call[]}
 */
export function callsAt(index, state) {
  const { calls } = countedCalls(index);
  const lines = linesOf(index, state.stop.step);
  const innermost = [...lines.keys()][0] ?? 0;
  if (!lines.has(innermost)) lines.set(innermost, state.stop.place);
  const { frames, omitted } = activeFrames(index, innermost);
  return frames.map((frame, place) => {
    const { shown, hidden, others } = slotsOf(index, frame.id);
    const [call, all] = calls[frame.id] ?? [1, 1];
    const entries = shown.map((slot) => entryOf(index, state, slot)).filter((entry) => entry !== null);
    const more = hidden.filter((slot) => at(index.names[slot.name ?? -1]?.tensor, state.tick) != null).length;
    return {
      frame: frame.id,
      function: frame.function,
      line: lines.get(frame.id) ?? frame.line,
      call,
      calls: all,
      entries,
      hidden: more + firstWhere(others.length, (slot) => (others[slot]?.since ?? 0) > state.tick),
      omitted: place === 1 ? omitted : 0,
    };
  });
}

/**
 * The frames from the frame of the module to a given frame. If there are more than `MOST_LISTED.frames`,
 * those after the module's frame are omitted.
 * @param {Index} index
 * @param {number} innermost
 */
function activeFrames(index, innermost) {
  const frames = [];
  for (
    let frame = index.frames[innermost];
    frame !== undefined;
    frame = frame.parent === undefined ? undefined : index.frames[frame.parent]
  )
    frames.push(frame);
  frames.reverse();
  const omitted = Math.max(0, frames.length - MOST_LISTED.frames);
  frames.splice(1, omitted);
  return { frames, omitted };
}

/**
 * The maximum depth of the snippet's call stack during the run.
 * @param {Index} index
 */
export function depthOf(index) {
  return countedCalls(index).depth;
}

/**
 * The current line of each active frame: the line of the innermost statement of the frame that contains the
 * step.
 * @param {Index} index
 * @param {Step} step
 */
function linesOf(index, step) {
  /** @type {Map<number, number | string>} */
  const lines = new Map();
  /** @type {Step | undefined} */
  let around = step;
  for (; around !== undefined; around = parentOf(index.steps, around)) {
    const { kind, frame, span } = around;
    const isOn = kind === "statement" || kind === "exception";
    if (isOn && frame !== undefined && span !== undefined && !lines.has(frame))
      lines.set(frame, told(index, span));
  }
  return lines;
}

/**
 * For each frame, which call of its function it is, and how often the function is called in the run. `depth`
 * is the maximum depth of the call stack.
 */
const countedCalls = perTrace((/** @type {Index} */ { frames }) => {
  const keyOf = (/** @type {Index["frames"][number]} */ frame) =>
    `${frame.file ?? ""} ${frame.line} ${frame.function}`;
  /** @type {Map<string, number>} */
  const total = new Map();
  /** @type {number[]} */
  const depths = [];
  const numbers = frames.map((frame) => {
    const number = (total.get(keyOf(frame)) ?? 0) + 1;
    total.set(keyOf(frame), number);
    depths.push((frame.parent === undefined ? 0 : (depths[frame.parent] ?? 0)) + 1);
    return number;
  });
  const calls = frames.map(
    (frame, id) => /** @type {[number, number]} */ ([numbers[id] ?? 1, total.get(keyOf(frame)) ?? 1]),
  );
  return { calls, depth: depths.reduce((most, depth) => Math.max(most, depth), 1) };
});

/** @typedef {{shown: Slot[], hidden: Slot[], others: Slot[]}} Slots */

const slotsByFrame = perTrace((/** @type {Index} */ _index) => /** @type {Map<number, Slots>} */ (new Map()));

/**
 * Sorts the variables of the module's frame in slices, because it may have very many variables.
 * @param {Index} index
 * @returns {Generator<void, void>}
 */
export function* preparingCalls(index) {
  countedCalls(index);
  yield;
  if (!slotsByFrame(index).has(0)) slotsByFrame(index).set(0, yield* sorting(index, 0));
}

/**
 * The variables of a frame, sorted by the ticks at which they are first bound, so that no listed variable
 * moves when another is bound.
 * @param {Index} index
 * @param {number} frame
 */
function slotsOf(index, frame) {
  const slots = slotsByFrame(index).get(frame) ?? finished(sorting(index, frame));
  slotsByFrame(index).set(frame, slots);
  return slots;
}

/**
 * @param {Index} index
 * @param {number} frame
 * @returns {Generator<void, Slots>}
 */
function* sorting(index, frame) {
  const { found, roots } = yield* slotsIn(index, frame);
  yield;
  const all = [...found.values()].sort((a, b) => a.since - b.since || a.rank - b.rank);
  yield;
  const counts = new Uint32Array(roots.size);
  const isShown = all.map(({ rank }) => {
    counts[rank] = (counts[rank] ?? 0) + 1;
    return (counts[rank] ?? 0) <= MOST;
  });
  const shown = all.filter((_, place) => isShown[place]);
  const hidden = all.filter((_, place) => !isShown[place]);
  const others = [...shown.splice(MOST_LISTED.variables), ...hidden.splice(10 * MOST_LISTED.variables)];
  return { shown, hidden, others: others.sort((a, b) => a.since - b.since) };
}

/**
 * @param {Index} index
 * @param {number} frame
 */
function* slotsIn(index, frame) {
  /** @type {Map<string, Slot>} */
  const found = new Map();
  /** @type {Map<string, number>} */
  const roots = new Map();
  const note = (/** @type {string} */ path, /** @type {number} */ tick) => {
    let slot = found.get(path);
    if (slot === undefined) {
      const root = rootOf(path);
      const rank = roots.get(root) ?? roots.size;
      roots.set(root, rank);
      slot = { path, since: tick, variable: null, name: null, rank };
      found.set(path, slot);
    }
    slot.since = Math.min(slot.since, tick);
    return slot;
  };
  for (const { id, name, value } of index.lookups.variables_of()(frame))
    if (isListed(value?.[0]?.[1])) note(name, value?.[0]?.[0] ?? 0).variable = id;
  for (const { id, path, tensor } of index.lookups.names_in()(frame)) {
    if (id % PAUSE === 0) yield;
    note(path, tensor?.[0]?.[0] ?? 0).name = id;
  }
  return { found, roots };
}

/**
 * Whether the call stack lists a variable. Variables that hold Python modules, functions or classes are
 * omitted, because the source shows them.
 * @param {Held | null | undefined} held
 */
function isListed(held) {
  return held != null && !["module", "function", "class"].includes(held.kind ?? "value");
}

/** @param {string} path */
function rootOf(path) {
  return path.match(/^[^.[]+/)?.[0] ?? path;
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Slot} slot
 * @returns {Entry | null} null: the variable is not bound yet
 */
function entryOf(index, { tick, before }, { path, since, variable, name }) {
  if (since > tick) return null;
  const [held, was] = [tick, before].map((when) => at(index.variables[variable ?? -1]?.value, when) ?? null);
  const [tensor, old] = [tick, before].map((when) => at(index.names[name ?? -1]?.tensor, when) ?? null);
  const wasBound = was !== null || old !== null;
  const isSame = tensor === old && JSON.stringify(held) === JSON.stringify(was);
  return {
    path,
    held: held ?? null,
    tensor: tensor ?? null,
    name,
    was: was ?? null,
    change: isSame ? null : wasBound ? "changed" : "new",
  };
}
