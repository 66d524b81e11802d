/**
 * Owns the sentences about exceptions: where an exception was raised, which calls it ended, and which `with
 * suppress(...)` caught it. Pure.
 */

import { addTo } from "../../run/grouped.js";
import { perTrace } from "../../run/per-run.js";
import { placeOfStep, sourceOf } from "../../run/places.js";
import { ancestor, innermost } from "../../run/step-tree.js";

/** @import {Step} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State} from "../../run/types.d.ts" */

/** @typedef {(file?: number | null) => string[]} Lines the lines of a file; without a file, of the source */

/**
 * The maximum number of nested calls shown between a statement and the exception. If there are more calls,
 * those in the middle are omitted.
 */
const MOST_CALLS = 4;
const SUPPRESS = /^with\b.*?\bsuppress\(([^()]*)\)/;
/** The exceptions that do not inherit from `Exception`, so that `suppress(Exception)` does not catch them. */
const NEVER_MEANT = new Set(["GeneratorExit", "KeyboardInterrupt", "SystemExit"]);

/**
 * The nested calls from a statement to the exception that was raised within: the first `count` of `calls`,
 * innermost first.
 * @typedef {{exception: Step, calls: Step[], count: number}} Way
 */

/**
 * The sentences about an exception: where it was raised, and for an outer statement, through which calls it
 * came.
 * @param {Index} index
 * @param {State} state
 * @returns {Sentence[]}
 */
export function raised(index, { stop }) {
  if (stop.kind !== "exception") {
    const statement = stop.kind === "statement" ? stop.step.id : undefined;
    return [...caught(index, statement), ...within(index, statement)];
  }
  const { id, name = "?", message = "" } = stop.step;
  const isPassedOn = index.stops.some(
    (other) =>
      other.kind === "exception" &&
      other.step.id < id &&
      other.step.name === name &&
      other.step.message === stop.step.message &&
      isWithin(index, other.step.id, stop.step.parent),
  );
  const args = { type: name, line: stop.place, message };
  if (!isPassedOn) return [{ id: message === "" ? "story-raised-bare" : "story-raised", args }];
  const sentences = within(index, stop.step.parent);
  return sentences.length > 0 ? sentences : [{ id: "story-raised-through", args }];
}

/**
 * Whether a step is nested in another step, at least two levels below it.
 * @param {Index} index
 * @param {number} step
 * @param {number | undefined} around
 */
function isWithin({ steps }, step, around) {
  const parent = steps[steps[step]?.parent ?? -1];
  return ancestor(steps, steps[parent?.parent ?? -1], ({ id }) => id === around) !== undefined;
}

/**
 * Whether an exception that was raised in a call of a statement ended the statement.
 * @param {Index} index
 * @param {number} statement
 */
export function isBrokenOff(index, statement) {
  return waysOut(index).ways.has(statement);
}

/**
 * The sentence that a `with suppress(...)` caught an exception, if a statement is the end of such a `with`.
 * @param {Index} index
 * @param {number | undefined} statement
 * @returns {Sentence[]}
 */
function caught(index, statement) {
  const exception = waysOut(index).suppressed.get(statement ?? -1);
  if (exception === undefined) return [];
  const args = { type: exception.name ?? "?", line: placeOfStep(index, exception.id) };
  return [{ id: "story-suppressed", args }];
}

/**
 * @param {Index} index
 * @param {number | undefined} statement
 * @returns {Sentence[]}
 */
function within(index, statement) {
  const way = statement === undefined ? undefined : waysOut(index).ways.get(statement);
  if (way === undefined) return [];
  const { exception, calls, count } = way;
  const args = {
    type: exception.name ?? "?",
    function: calls[0]?.name ?? "?",
    line: placeOfStep(index, exception.id),
  };
  const sentence = { id: "story-raised-within", args };
  return count < 2 ? [sentence] : [sentence, { id: "story-way-there", args: { calls: told(index, way) } }];
}

/**
 * @param {Index} index
 * @param {Way} way
 * @returns {Sentence[]}
 */
function told(index, { calls, count }) {
  const phrases = calls.slice(0, count).map((call) => ({
    id: "phrase-call",
    args: { line: placeOfStep(index, call.parent), name: call.name ?? "?" },
  }));
  phrases.reverse();
  if (count <= MOST_CALLS) return phrases;
  const more = { id: "phrase-more-calls", args: { count: count - MOST_CALLS } };
  return [...phrases.slice(0, 1), more, ...phrases.slice(1 - MOST_CALLS)];
}

/**
 * The statements that an exception from one of their calls ended (`ways`), and the exceptions that a
 * `suppress` caught. The trace does not say whether native code such as `hasattr` caught the exception in
 * between. Native code did not catch an exception that ended the run, or after which an `except` or the end
 * of a matching `suppress` follows.
 */
const waysOut = perTrace((index) => {
  const { steps } = index;
  const lines = linesByFile(index);
  const { after, left } = nextStatements(steps, lines);
  const ends = lastTwoSteps(steps);
  const exceptions = steps.filter(({ kind }) => kind === "exception");
  const passedOn = new Set();
  /** @type {Map<number, Way>} */
  const ways = new Map();
  /** @type {Map<number, Step>} */
  const suppressed = new Map();
  for (const exception of exceptions) {
    if (passedOn.has(exception)) continue;
    const calls = [];
    const statements = [];
    let last = exception;
    let statement = innermost(steps, exception, "statement");
    let catcher = catcherOf(left.get(statement?.id ?? -1), lines, exception);
    while (catcher === undefined && statement !== undefined && !after.has(statement.id)) {
      const call = steps[statement.parent ?? -1];
      const around = call?.kind === "call" ? steps[call.parent ?? -1] : undefined;
      const outer = around && innermost(steps, around, "statement");
      if (!call || !outer || ways.has(outer.id)) break;
      const [before, end] = ends.get(outer.id) ?? [];
      // the exception is recorded once more after the steps that run while it leaves the call
      if (end !== undefined && end !== call) {
        if (before !== call || !isSame(exception, end)) break;
        last = end;
        passedOn.add(end);
      }
      calls.push(call);
      statements.push(outer);
      statement = outer;
      catcher = catcherOf(left.get(outer.id), lines, exception);
      if (catcher !== undefined && !isCalledByName(textOf(outer, lines), call)) {
        statements.length = 0;
        catcher = undefined;
        break;
      }
    }
    if (catcher !== undefined) suppressed.set(catcher.id, exception);
    const next = after.get(statements.at(-1)?.id ?? -1);
    const isEnd = index.ended.kind === "raised" && last === exceptions.at(-1) && next === undefined;
    if (catcher !== undefined || isEnd || textOf(next, lines).startsWith("except"))
      for (const [place, { id }] of statements.entries())
        ways.set(id, { exception, calls, count: place + 1 });
  }
  return { ways, suppressed };
});

/**
 * Among the `with` statements that ended after a statement, the `with suppress(...)` that catches an
 * exception.
 * @param {Step[] | undefined} left
 * @param {Lines} lines
 * @param {Step} exception
 */
function catcherOf(left, lines, { name = "?" }) {
  return left?.find((step) => {
    const named =
      SUPPRESS.exec(textOf(step, lines))?.[1]
        ?.split(",")
        .map((text) => text.trim()) ?? [];
    return named.includes(name) || (named.includes("Exception") && !NEVER_MEANT.has(name));
  });
}

/**
 * Whether the source of a statement calls a function by its name, and not indirectly, for example through
 * `hasattr`.
 * @param {string} text
 * @param {Step} call
 */
function isCalledByName(text, { name = "?" }) {
  const called = name.slice(name.lastIndexOf(".") + 1);
  return new RegExp(`\\b${called.replace(/\W/g, "\\$&")}\\(`).test(text);
}

/**
 * @param {Step} one
 * @param {Step} other
 */
function isSame(one, other) {
  return one.kind === other.kind && one.name === other.name && one.message === other.message;
}

/**
 * For each step, the last two of the steps directly within it.
 * @param {Step[]} steps
 */
function lastTwoSteps(steps) {
  /** @type {Map<number | undefined, [Step | undefined, Step]>} */
  const ends = new Map();
  for (const step of steps) ends.set(step.parent, [ends.get(step.parent)?.[1], step]);
  return ends;
}

/**
 * For each statement, the next statement of its call (`after`) and the `with` statements that ended after it
 * (`left`). The trace contains a `with` statement a second time when it ends.
 * @param {Step[]} steps
 * @param {Lines} lines
 */
function nextStatements(steps, lines) {
  /** @type {Map<number | undefined, Step>} */
  const last = new Map();
  /** @type {Map<number, Step>} */
  const after = new Map();
  /** @type {Map<number, Step[]>} */
  const left = new Map();
  for (const step of steps) {
    if (step.kind !== "statement") continue;
    const before = last.get(step.parent);
    const isHigher = before !== undefined && placeOf(step) < placeOf(before);
    if (isHigher && textOf(step, lines).startsWith("with")) {
      addTo(left, before.id, step);
      continue;
    }
    if (before !== undefined) after.set(before.id, step);
    last.set(step.parent, step);
  }
  return { after, left };
}

/**
 * The position of a statement in its file as a number that increases with line and column.
 * @param {Step} statement
 */
function placeOf({ span }) {
  return span === undefined ? 0 : span.line + span.column / (span.column + 1);
}

/**
 * @param {Step | undefined} statement
 * @param {Lines} lines
 */
function textOf(statement, lines) {
  const span = statement?.span;
  return lines(span?.file)[(span?.line ?? 0) - 1]?.trim() ?? "";
}

/**
 * Returns a function that gives the lines of a file, and splits each file only once.
 * @param {Index} index
 * @returns {Lines}
 */
function linesByFile(index) {
  /** @type {Map<number | null, string[]>} */
  const known = new Map();
  return (file = null) => {
    const lines = known.get(file) ?? sourceOf(index, file).split("\n");
    known.set(file, lines);
    return lines;
  };
}
