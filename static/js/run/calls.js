/**
 * Owns the call stack at a stop: the active frames of the snippet, the line of each, and the values of its
 * variables. Pure.
 */

import { at } from "./facts.js";
import { perRun } from "./per-run.js";
import { parentOf } from "./step-tree.js";

/** @import {Held, Step} from "./trace.d.ts" */
/** @import {Index, State} from "./types.d.ts" */

/**
 * @typedef {{path: string, since: number, variable: number | null, name: number | null}} Slot `since`: when
 *   it was first bound
 */
/**
 * @typedef {object} Entry What one path of a frame reaches: a tensor, or what else its variable holds.
 * @property {string} path
 * @property {Held | null} held
 * @property {number | null} tensor
 * @property {number | null} name of the tensor
 * @property {Held | null} was
 * @property {"new" | "changed" | null} change in this very step
 */
/**
 * @typedef {{
 *   frame: number,
 *   function: string,
 *   line: number,
 *   call: number,
 *   calls: number,
 *   entries: Entry[],
 *   hidden: number,
 * }} Call
 */

/** The most tensors that are listed of one container; the text of the container says how many it has. */
const MOST = 8;

/**
 * The active frames, from the module to the innermost.
 * @param {Index} index
 * @param {State} state
 * @returns {Call[]}
 */
export function callsAt(index, state) {
  const { calls } = countedCalls(index);
  const lines = linesOf(index.steps, state.stop.step);
  const innermost = [...lines.keys()][0] ?? 0;
  if (!lines.has(innermost)) lines.set(innermost, state.stop.line);
  /** @type {Call[]} */
  const stack = [];
  for (
    let frame = index.frames[innermost];
    frame !== undefined;
    frame = frame.parent === undefined ? undefined : index.frames[frame.parent]
  ) {
    const { shown, hidden } = slotsOf(index, frame.id);
    const [call, all] = calls[frame.id] ?? [1, 1];
    const entries = shown.map((slot) => entryOf(index, state, slot)).filter((entry) => entry !== null);
    const more = hidden.filter((slot) => at(index.names[slot.name ?? -1]?.tensor, state.tick) != null).length;
    stack.unshift({
      frame: frame.id,
      function: frame.function,
      line: lines.get(frame.id) ?? frame.line,
      call,
      calls: all,
      entries,
      hidden: more,
    });
  }
  return stack;
}

/**
 * How many frames are active at once, at most.
 * @param {Index} index
 */
export function depthOf(index) {
  return countedCalls(index).depth;
}

/**
 * The current line of each active frame: that of the innermost statement of the frame around the step.
 * @param {Step[]} steps
 * @param {Step} step
 */
function linesOf(steps, step) {
  /** @type {Map<number, number>} */
  const lines = new Map();
  /** @type {Step | undefined} */
  let around = step;
  for (; around !== undefined; around = parentOf(steps, around)) {
    const { kind, frame, span } = around;
    const isOn = kind === "statement" || kind === "exception";
    if (isOn && frame !== undefined && span !== undefined && !lines.has(frame)) lines.set(frame, span.line);
  }
  return lines;
}

/** Which call of its function each frame is, of how many calls, and how deep the frames are nested. */
const countedCalls = perRun((/** @type {Index} */ { frames }) => {
  const keyOf = (/** @type {Index["frames"][number]} */ frame) => `${frame.line} ${frame.function}`;
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

const slotsByFrame = perRun(
  (/** @type {Index} */ _index) => /** @type {Map<number, {shown: Slot[], hidden: Slot[]}>} */ (new Map()),
);

/**
 * The variables of a frame in the order in which they are first bound, so that none moves when another is
 * bound.
 * @param {Index} index
 * @param {number} frame
 */
function slotsOf(index, frame) {
  const slots = slotsByFrame(index).get(frame) ?? sorted(index, frame);
  slotsByFrame(index).set(frame, slots);
  return slots;
}

/**
 * @param {Index} index
 * @param {number} frame
 */
function sorted(index, frame) {
  /** @type {Map<string, Slot>} */
  const found = new Map();
  /** @type {Map<string, number>} */
  const roots = new Map();
  const note = (
    /** @type {string} */ path,
    /** @type {number} */ tick,
    /** @type {Partial<Slot>} */ what,
  ) => {
    const old = found.get(path);
    if (!roots.has(rootOf(path))) roots.set(rootOf(path), roots.size);
    found.set(path, {
      path,
      variable: null,
      name: null,
      ...old,
      ...what,
      since: Math.min(old?.since ?? Infinity, tick),
    });
  };
  for (const { id, name, value } of index.lookups.variables_of()(frame))
    if (isListed(value?.[0]?.[1])) note(name, value?.[0]?.[0] ?? 0, { variable: id });
  for (const { id, path, tensor } of index.lookups.names_in()(frame))
    note(path, tensor?.[0]?.[0] ?? 0, { name: id });
  const rank = (/** @type {Slot} */ slot) => roots.get(rootOf(slot.path)) ?? 0;
  const all = [...found.values()].sort((a, b) => a.since - b.since || rank(a) - rank(b));
  /** @type {Map<string, number>} */
  const counts = new Map();
  const isShown = all.map(({ path }) => {
    const number = (counts.get(rootOf(path)) ?? 0) + 1;
    counts.set(rootOf(path), number);
    return number <= MOST;
  });
  return {
    shown: all.filter((_, place) => isShown[place]),
    hidden: all.filter((_, place) => !isShown[place]),
  };
}

/**
 * Whether a variable is listed: modules, functions and classes are not, the source shows them.
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
 * @returns {Entry | null} null: it is not bound yet
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
