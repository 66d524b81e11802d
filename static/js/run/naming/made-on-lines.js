/**
 * Owns the results of the snippet's lines: the names that a line bound or wrote to at its latest execution,
 * with their values. Names of other scopes, such as a lambda's parameters, are omitted, because their values
 * are not known. Pure.
 */

import { at } from "../facts.js";
import { ticked } from "../lookups.js";
import { perTrace } from "../per-run.js";
import { shapeOf, shortDtype, single } from "../values/format.js";
import { namesOf } from "./code-names.js";

/** @import {Held, Step} from "../trace.d.ts" */
/** @import {Ticked} from "../lookups.js" */
/** @import {Index, State} from "../types.d.ts" */

/** A name on a line and the text of its value. `isFresh`: the step bound the name or changed the text. */
/** @typedef {{name: string, text: string, isFresh: boolean}} Made */
/** @typedef {{path: string, tick: number, tensor: number | null, held: Held | null}} Bound */

/** Python types with values that have a short text. */
const SHORT = new Set(["int", "float", "bool", "complex", "NoneType"]);

/** The executions of each statement of the source, in order, by the statement's line and column. */
const statementsOn = perTrace((/** @type {Index} */ { steps }) => {
  /** @type {Map<number, Map<number, Step[]>>} */
  const found = new Map();
  for (const step of steps) {
    const { kind, span, frame } = step;
    if (kind !== "statement" || frame === undefined || span === undefined || span.file != null) continue;
    const line = found.get(span.line) ?? new Map();
    const there = line.get(span.column);
    if (there === undefined) line.set(span.column, [step]);
    else there.push(step);
    found.set(span.line, line);
  }
  return found;
});

/**
 * For the first statement of each call, the source of the function's `def`. The recording dates the bindings
 * of parameters to this statement, although the call bound them.
 */
const headOf = perTrace((/** @type {Index} */ { steps, frames, source }) => {
  const lines = source.split("\n");
  /** @type {Map<number, string>} */
  const found = new Map();
  const seen = new Set([0]);
  for (const { id, kind, frame = 0, span } of steps) {
    if (kind !== "statement" || seen.has(frame) || span === undefined || span.file != null) continue;
    seen.add(frame);
    const first = frames[frame]?.line ?? span.line;
    found.set(id, lines.slice(first - 1, Math.max(first, span.line - 1)).join("\n"));
  }
  return found;
});

/** Returns a function that gives the bindings of a frame's names and variables, sorted by tick. */
const boundIn = perTrace((/** @type {Index} */ { lookups }) => {
  /** @type {Map<number, Ticked<Bound>>} */
  const found = new Map();
  return (/** @type {number} */ frame) => {
    const known =
      found.get(frame) ??
      ticked(
        [
          ...lookups
            .names_in()(frame)
            .flatMap(({ path, tensor }) =>
              (tensor ?? []).map(([tick, id]) => ({ path, tick, tensor: id, held: null })),
            ),
          ...lookups
            .variables_of()(frame)
            .flatMap(({ name, value }) =>
              (value ?? []).map(([tick, held]) => ({ path: name, tick, tensor: null, held })),
            ),
        ],
        ({ tick }) => tick,
      );
    found.set(frame, known);
    return known;
  };
});

/**
 * The names that a line bound or wrote to at its latest execution up to a step, with their values.
 * @param {Index} index
 * @param {State} state
 * @param {number} line
 * @returns {Made[]}
 */
export function madeOn(index, state, line) {
  const columns = statementsOn(index).get(line);
  if (columns === undefined) return [];
  return [...columns.values()].flatMap((executions) => {
    const latest = latestOf(executions, state.tick);
    return latest === undefined ? [] : madeBy(index, state, latest);
  });
}

/**
 * @param {Step[]} executions
 * @param {number} tick
 */
function latestOf(executions, tick) {
  let [from, to] = [0, executions.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (/** @type {Step} */ (executions[middle]).began <= tick) from = middle + 1;
    else to = middle;
  }
  return executions[from - 1];
}

/**
 * @param {Index} index
 * @param {State} state
 * @param {Step} statement
 * @returns {Made[]}
 */
function madeBy(index, state, statement) {
  const { began, ended = Infinity, frame = 0, span } = statement;
  const until = Math.min(ended, state.tick);
  const { line = 0, end_line = line } = span ?? {};
  const named = new Set();
  for (let each = line; each <= end_line; each += 1)
    for (const { path } of namesOf(index).get(each) ?? []) named.add(path);
  /** @type {Map<string, Bound>} */
  const last = new Map();
  for (const bound of boundIn(index)(frame).within(began, until))
    if (named.has(bound.path) && !isParameter(index, statement, bound)) last.set(bound.path, bound);
  for (const written of writtenBy(index, frame, named, began, until))
    if (!last.has(written.path)) last.set(written.path, written);
  return [...named].flatMap((path) => {
    const bound = last.get(path);
    const text = bound === undefined ? null : textAt(index, bound, until); // null: deleted, too
    if (bound === undefined || text === null) return [];
    // If the name is still bound to the same tensor, its current value is shown, and highlighted when it
    // changes.
    const isHere = isStill(index, frame, bound, state.tick);
    const now = isHere ? (textAt(index, bound, state.tick) ?? text) : text;
    const isNew = bound.tick > state.before;
    const was = isHere && !isNew ? textAt(index, bound, state.before) : now;
    return [{ name: path, text: now, isFresh: isNew || was !== now }];
  });
}

/**
 * Whether a binding at a call's first statement passed an argument to a parameter.
 * @param {Index} index
 * @param {Step} statement
 * @param {Bound} bound
 */
function isParameter(index, { id, began }, { path, tensor }) {
  const head = headOf(index).get(id);
  const isNew = tensor !== null && (index.tensors[tensor]?.born ?? 0) > began;
  return head !== undefined && !isNew && (head.match(/[\p{L}_][\p{L}\p{N}_]*/gu)?.includes(path) ?? false);
}

/**
 * Those of the given names whose tensor was written to during a statement.
 * @param {Index} index
 * @param {number} frame
 * @param {Set<string>} named
 * @param {number} began
 * @param {number} until
 * @returns {Bound[]}
 */
function writtenBy(index, frame, named, began, until) {
  const writes = index.lookups
    .writes()
    .within(began, until)
    .filter(({ changed }) => changed !== false);
  if (writes.length === 0) return [];
  const ticks = new Map(writes.map(({ storage, tick }) => [storage, tick]));
  return index.lookups
    .names_in()(frame)
    .flatMap(({ path, tensor }) => {
      const id = named.has(path) ? at(tensor, began) : null;
      const tick = id == null ? undefined : ticks.get(at(index.tensors[id]?.geometry, until)?.storage ?? -1);
      return id == null || tick === undefined ? [] : [{ path, tick, tensor: id, held: null }];
    });
}

/**
 * Whether a name is still bound to the same tensor at a tick.
 * @param {Index} index
 * @param {number} frame
 * @param {Bound} bound
 * @param {number} tick
 */
function isStill(index, frame, { path, tensor }, tick) {
  if (tensor === null) return false;
  const name = index.lookups
    .names_in()(frame)
    .find((each) => each.path === path);
  return at(name?.tensor, tick) === tensor;
}

/**
 * @param {Index} index
 * @param {Bound} bound
 * @param {number} tick
 * @returns {string | null} null: there is no short text
 */
function textAt(index, { tensor, held }, tick) {
  if (tensor === null)
    return held === null || !SHORT.has(held.type) || held.text === undefined ? null : held.text;
  const geometry = at(index.tensors[tensor]?.geometry, tick) ?? null;
  if (geometry === null) return null;
  const { storage, dtype } = geometry;
  const isOne = geometry.shape.every((size) => size === 1);
  const contents = storage === null ? null : at(index.storages[storage]?.contents, tick);
  const value = isOne ? single(geometry, contents) : undefined;
  if (value !== undefined) return value;
  return dtype === "float32" ? shapeOf(geometry) : `${shapeOf(geometry)} ${shortDtype(dtype)}`;
}
