/**
 * Formats an exception as Python prints it, with its message and the snippet's lines. Lines of code in
 * libraries are missing, because recordings do not contain them. Pure.
 */

import { legible, legibleLines, linesOf } from "../../run/legible.js";
import { sourceOf } from "../../run/places.js";

/** @import {Earlier, Raised, TracebackEntry} from "../../run/trace.d.ts" */
/** @import {Index} from "../../run/types.d.ts" */

/** The name of the snippet's file in a recording. */
const SNIPPET = "snippet.py";
/** How many times a traceback of Python contains an equal entry before it only counts the repetitions. */
const MOST_EQUAL = 3;
/**
 * The maximum number of calls in a traceback that are shown: half of them are the outermost calls, half the
 * innermost.
 */
const MOST_SHOWN = 60;

/**
 * Lines of a traceback, and the stop to which a click on them leads. `omitted`: the number of calls that
 * these lines replace.
 * @typedef {{text: string, stop: number | null, omitted?: number}} Piece
 */

/** The sentences that Python prints between the tracebacks of two chained exceptions. */
const CAUSE = "The above exception was the direct cause of the following exception:";
const CONTEXT = "During handling of the above exception, another exception occurred:";

/**
 * @param {Index} index
 * @param {Raised} raised
 * @returns {Piece[]}
 */
export function printed(index, raised) {
  return [
    ...(raised.earlier ?? []).flatMap((each) => [
      ...alone(index, each),
      { text: `\n${each.is_cause ? CAUSE : CONTEXT}\n`, stop: null },
    ]),
    ...alone(index, raised),
  ];
}

/**
 * @param {Index} index
 * @param {Raised | Earlier} exception
 * @returns {Piece[]}
 */
function alone(index, { type, message, traceback = [] }) {
  const last = legible(type) + (message === "" ? "" : `: ${legibleLines(message)}`);
  const calls = shortened(grouped(traceback));
  return [
    calls.length === 0 ? [] : { text: "Traceback (most recent call last):", stop: null },
    calls.map((call) => ("omitted" in call ? { ...call, text: "", stop: null } : pieceOf(index, call))),
    { text: last, stop: null },
  ].flat();
}

/** @typedef {{entry: TracebackEntry, more: number}} Call `more`: how many repetitions are not shown */

/**
 * @param {TracebackEntry[]} traceback
 * @returns {Call[]}
 */
function grouped(traceback) {
  /** @type {Call[]} */
  const calls = [];
  let [before, count] = ["", 0];
  for (const entry of traceback) {
    const { line, file = null } = entry;
    const key = `${file} ${line} ${nameOf(entry)}`;
    count = key === before ? count + 1 : 1;
    before = key;
    const last = calls.at(-1);
    if (count > MOST_EQUAL && last !== undefined) last.more += 1;
    else calls.push({ entry, more: 0 });
  }
  return calls;
}

/**
 * @param {Call[]} calls
 * @returns {(Call | {omitted: number})[]}
 */
function shortened(calls) {
  if (calls.length <= MOST_SHOWN) return calls;
  const half = MOST_SHOWN / 2;
  const between = calls.slice(half, -half);
  const omitted = between.reduce((sum, { more }) => sum + 1 + more, 0);
  return [...calls.slice(0, half), { omitted }, ...calls.slice(-half)];
}

/**
 * @param {Index} index
 * @param {Call} call
 * @returns {Piece}
 */
function pieceOf(index, { entry, more }) {
  const { line, file = null } = entry;
  const path = file === null ? SNIPPET : legible(index.files[file]?.path ?? "?");
  const code = linesOf({ source: sourceOf(index, file) }, line);
  const stop = index.stops.findLastIndex(
    ({ span }) => span !== null && (span.file ?? null) === file && span.line <= line && line <= span.end_line,
  );
  const lines = [
    `  File "${path}", line ${line}, in ${legible(nameOf(entry))}`,
    code === "" ? [] : `    ${code}`,
    more === 0 ? [] : `  [Previous line repeated ${more} more time${more === 1 ? "" : "s"}]`,
  ].flat();
  return { text: lines.join("\n"), stop: stop === -1 ? null : stop };
}

/**
 * The function's name as Python prints it, without the class.
 * @param {TracebackEntry} entry
 */
function nameOf({ function: name }) {
  return name.slice(name.lastIndexOf(".") + 1);
}
