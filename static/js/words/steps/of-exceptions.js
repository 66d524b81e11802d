/**
 * Owns the sentences about exceptions: where they were raised, which calls they left, and which `with
 * suppress(...)` caught them. Pure.
 */

import { addTo } from "../../run/grouped.js";
import { perTrace } from "../../run/per-run.js";
import { placeOfStep, sourceOf } from "../../run/places.js";
import { ancestor, innermost } from "../../run/step-tree.js";

/** @import {Step} from "../../run/trace.d.ts" */
/** @import {Index, Sentence, State} from "../../run/types.d.ts" */

/** @typedef {(file?: number | null) => string[]} Lines the lines of a file; without a file, of the source */

/**
 * The maximum number of calls shown between a statement and the exception. The middle of a longer way is
 * omitted.
 */
const MOST_CALLS = 4;
const SUPPRESS = /^with\b.*?\bsuppress\(([^()]*)\)/;
/** The exceptions that `suppress(Exception)` does not catch. */
const NEVER_MEANT = new Set(["GeneratorExit", "KeyboardInterrupt", "SystemExit"]);

/**
 * The way from a statement to the exception that left its call: the first `count` of `calls`, innermost
 * first.
 * @typedef {{exception: Step, calls: Step[], count: number}} Way
 */

/**
 * The sentences about an exception: where it was raised, and where it left a call.
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
 * Whether a step is within another step, at least two levels below.
 * @param {Index} index
 * @param {number} step
 * @param {number | undefined} around
 */
function isWithin({ steps }, step, around) {
  const parent = steps[steps[step]?.parent ?? -1];
  return ancestor(steps, steps[parent?.parent ?? -1], ({ id }) => id === around) !== undefined;
}

/**
 * Whether an exception left a statement through its call.
 * @param {Index} index
 * @param {number} statement
 */
export function isBrokenOff(index, statement) {
  return waysOut(index).ways.has(statement);
}

/**
 * The sentence about the exception that a `with suppress(...)` caught, at the end of the `with`.
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
 * The statements that an exception left through their calls, and the `suppress` that caught an exception. An
 * exception left a call if it left the call's last statement, unless code such as `hasattr` caught it on the
 * way. A catch of this kind is ruled out if the exception ended the run, if the next statement of the frame
 * is an `except`, or if a `suppress` was left.
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
      // the exception is recorded again after the steps that run while it leaves the call
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
 * The `with suppress(...)` that was left and that names the class of an exception.
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
 * Whether a statement calls a function by name. An exception in a call through `hasattr` could not be
 * attributed.
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
 * By step, the last two steps within the step.
 * @param {Step[]} steps
 */
function lastTwoSteps(steps) {
  /** @type {Map<number | undefined, [Step | undefined, Step]>} */
  const ends = new Map();
  for (const step of steps) ends.set(step.parent, [ends.get(step.parent)?.[1], step]);
  return ends;
}

/**
 * By statement, the next statement in its frame, and separately the enclosing `with` statements. A `with`
 * runs again when it is left.
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
 * The position of a statement's beginning as a number that increases with line and column.
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
 * The lines of each file, split once.
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
