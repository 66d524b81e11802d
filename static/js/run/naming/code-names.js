/**
 * Owns the names in the source of a snippet, and their values at a step. No value is guessed: keyword
 * arguments and names of other scopes or of calls that are not running have none. Pure.
 */

import { at } from "../facts.js";
import { perTrace } from "../per-run.js";
import { ancestor } from "../step-tree.js";

/** @import {Held, Name, Variable} from "../trace.d.ts" */
/** @import {Index, State} from "../types.d.ts" */

/** @typedef {{line: number, from: number, to: number, path: string}} Place in UTF-16 units of its line */
/**
 * @typedef {(
 *   | {kind: "tensor", tensor: number}
 *   | {kind: "held", held: Held}
 *   | {kind: "unbound"}
 *   | {kind: "inactive"}
 * )} Value
 */

const NAME = "[\\p{L}_][\\p{L}\\p{N}_]*";
const STRING =
  "[rRbBuUfF]{0,2}(?:\"\"\"[^]*?(?:\"\"\"|$)|'''[^]*?(?:'''|$)|\"(?:\\\\.|[^\"\\\\\\n])*\"?|'(?:\\\\.|[^'\\\\\\n])*'?)";
/**
 * Matches a Python comment, a string, a bracket or colon, a line end, or a path such as
 * `net.layers[0].weight`.
 */
const TOKEN = new RegExp(
  `#[^\\n]*|(?<![\\p{L}\\p{N}_])${STRING}|(?<bracket>[()[\\]{}:\\n])|(?<![\\p{L}\\p{N}_.])(?<path>${NAME}(?:\\.${NAME}|\\[(?:\\d+|'[^'\\n]*'|"[^"\\n]*")\\])*)`,
  "gu",
);
const PART = new RegExp(`^${NAME}|\\.${NAME}|\\[[^\\]]*\\]`, "gu");
const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/**
 * For each line of a source, the names that refer to variables of the scope that contains the line.
 * @param {string} source
 */
export function namesIn(source) {
  /** @type {Map<number, Place[]>} */
  const found = new Map();
  /** @type {Place[]} */
  let statement = [];
  /** The names that a lambda or a comprehension of the statement binds, which belong to another scope. */
  let inner = new Set();
  let [depth, line, begin, binds] = [0, 1, 0, ""];
  let isHeader = false;
  const end = () => {
    for (const place of isHeader ? [] : statement)
      if (!inner.has(place.path.match(/^[^.[]+/)?.[0])) {
        const there = found.get(place.line);
        if (there === undefined) found.set(place.line, [place]);
        else there.push(place);
      }
    [statement, inner, isHeader, binds] = [[], new Set(), false, ""];
  };
  for (const match of source.matchAll(TOKEN)) {
    const { bracket, path } = /** @type {Record<string, string | undefined>} */ (match.groups);
    if (bracket === "\n") {
      if (depth === 0 && source[match.index - 1] !== "\\") end();
      line += 1;
      begin = match.index + 1;
    } else if (bracket === ":") binds = binds === "lambda" ? "" : binds;
    else if (bracket !== undefined) depth = Math.max(0, depth + ("([{".includes(bracket) ? 1 : -1));
    else if (path === undefined) {
      const lines = match[0].split("\n");
      if (lines.length > 1) begin = match.index + match[0].lastIndexOf("\n") + 1;
      line += lines.length - 1;
    } else if (KEYWORDS.has(path)) {
      if (path === "def") isHeader = true;
      if (path === "lambda" || (path === "for" && depth > 0)) binds = path;
      else if (path === "in") binds = "";
    } else if (binds !== "") inner.add(path);
    else if (
      depth === 0 ||
      !/^\s*=(?!=)/.test(source.slice(match.index + path.length, match.index + path.length + 20))
    )
      statement.push(...partsOf(path, line, match.index - begin));
  }
  end();
  return found;
}

/**
 * The positions of each prefix of a path in its line: `net`, `net.fc`, `net.fc.weight`.
 * @param {string} path
 * @param {number} line
 * @param {number} from
 * @returns {Place[]}
 */
function partsOf(path, line, from) {
  return [...path.matchAll(PART)].map((part) => ({
    line,
    from: from + part.index,
    to: from + part.index + part[0].length,
    path: path.slice(0, part.index + part[0].length),
  }));
}

/** For each line of a run's source, the names that refer to variables (`namesIn`). */
export const namesOf = perTrace((/** @type {Index} */ { source }) => namesIn(source));

/** For each line, the frames that executed a statement of the line. */
const framesOn = perTrace((/** @type {Index} */ { steps }) => {
  /** @type {Map<number, Set<number>>} */
  const found = new Map();
  for (const { kind, frame, span } of steps) {
    if (kind !== "statement" || frame === undefined || span === undefined || span.file != null) continue;
    for (let line = span.line; line <= span.end_line; line += 1) {
      const there = found.get(line) ?? new Set();
      found.set(line, there.add(frame));
    }
  }
  return found;
});

/**
 * The value of a name at a step, in the innermost active call that executed the name's line.
 * @param {Index} index
 * @param {State} state
 * @param {Place} place
 * @returns {Value | null} null: unknown
 */
export function valueAt(index, state, { line, path }) {
  const frames = framesOn(index).get(line);
  if (frames === undefined) return null;
  const frame = activeOf(index, state, frames);
  const known = (/** @type {number} */ each) => boundIn(index, state, each, path);
  if (frame === undefined)
    return [...frames].some((each) => known(each) !== null) ? { kind: "inactive" } : null;
  return known(frame);
}

/**
 * The innermost of the given frames that is active at a step.
 * @param {Index} index
 * @param {State} state
 * @param {Set<number>} frames
 */
function activeOf(index, state, frames) {
  const around = ancestor(index.steps, state.stop.step, (step) => step.frame !== undefined);
  for (
    let frame = index.frames[around?.frame ?? 0];
    frame !== undefined;
    frame = frame.parent === undefined ? undefined : index.frames[frame.parent]
  )
    if (frames.has(frame.id)) return frame.id;
  return undefined;
}

/** Returns a function that gives a frame's names and variables by their paths. */
const boundsOf = perTrace((/** @type {Index} */ { lookups }) => {
  /** @type {Map<number, {names: Map<string, Name>, variables: Map<string, Variable>}>} */
  const found = new Map();
  return (/** @type {number} */ frame) => {
    const known = found.get(frame) ?? {
      names: new Map(
        lookups
          .names_in()(frame)
          .map((name) => [name.path, name]),
      ),
      variables: new Map(
        lookups
          .variables_of()(frame)
          .map((variable) => [variable.name, variable]),
      ),
    };
    found.set(frame, known);
    return known;
  };
});

/**
 * @param {Index} index
 * @param {State} state
 * @param {number} frame
 * @param {string} path
 * @returns {Value | null}
 */
function boundIn(index, state, frame, path) {
  const { names, variables } = boundsOf(index)(frame);
  const [name, variable] = [names.get(path), variables.get(path)];
  const tensor = at(name?.tensor, state.tick);
  if (tensor != null) return { kind: "tensor", tensor };
  const held = at(variable?.value, state.tick);
  if (held != null) return { kind: "held", held };
  if (name !== undefined || variable !== undefined) return { kind: "unbound" };
  const owner = path.endsWith(".grad") ? boundIn(index, state, frame, path.slice(0, -5)) : null;
  if (owner?.kind !== "tensor") return null;
  const grad = at(index.tensors[owner.tensor]?.grad, state.tick);
  return grad == null
    ? { kind: "held", held: { type: "NoneType", text: "None" } }
    : { kind: "tensor", tensor: grad };
}
