/** Owns the colours and the indentation of Python in the editor: a reader of tokens, line by line, which weighs a sixth of a whole grammar. */

import { StreamLanguage } from "../vendor/codemirror.js";

/** @import {StringStream} from "../vendor/codemirror.js" */

/**
 * @typedef {object} Reading
 * @property {string | null} quote the quotes that close the string that a line ended in
 * @property {number} depth of brackets
 * @property {number} indent columns before the statement
 * @property {boolean} isFirst whether the next token is the first of its statement
 * @property {boolean} opensBlock whether its last token was a colon
 * @property {boolean} leaves whether it is one after which a block ends
 * @property {string} before the last keyword, if nothing stood since
 */

const KEYWORDS = new Set("and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(" "));
const LEAVING = new Set(["return", "raise", "pass", "break", "continue"]);
const DEDENTED = /^\s*(else|elif|except|finally)\b/;
const STRING = /^[rbfu]{0,2}('''|"""|'|")/i;
const NUMBER = /^(0[xob][\da-f_]+|(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(e[+-]?\d[\d_]*)?j?)/i;
const NAME = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{M}\p{Nd}\p{Pc}]*/u;

/** @returns {Reading} */
export function startState() {
  return { quote: null, depth: 0, indent: 0, isFirst: true, opensBlock: false, leaves: false, before: "" };
}

/**
 * One token: its end in the line, and what it is.
 * @param {StringStream} stream
 * @param {Reading} state
 * @returns {string | null}
 */
export function token(stream, state) {
  if (state.quote !== null) return inString(stream, state);
  if (stream.sol() && state.depth === 0) begin(stream, state);
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  const own = significant(stream, state);
  state.isFirst = false;
  return own;
}

/** A statement begins, if the line is not empty. @param {StringStream} stream @param {Reading} state */
function begin(stream, state) {
  if (/^\s*(#.*)?$/.test(stream.string)) return;
  Object.assign(state, { indent: stream.indentation(), isFirst: true, opensBlock: false, leaves: false, before: "" });
}

/** @param {StringStream} stream @param {Reading} state @returns {string | null} */
function significant(stream, state) {
  const quoted = /** @type {RegExpMatchArray | null} */ (stream.match(STRING));
  if (quoted) {
    state.quote = quoted[1] ?? null;
    state.opensBlock = false;
    return inString(stream, state);
  }
  const { isFirst, before } = state;
  const isAttribute = stream.pos > 0 && stream.string[stream.pos - 1] === ".";
  state.before = "";
  state.opensBlock = false;
  if (!isAttribute && stream.match(NUMBER)) return "number";
  const named = /** @type {RegExpMatchArray | null} */ (stream.match(NAME));
  if (named) return isAttribute ? "variableName" : wordOf(named[0], stream, state, { isFirst, before });
  const sign = stream.next() ?? "";
  if ("([{".includes(sign)) state.depth += 1;
  else if (")]}".includes(sign)) state.depth = Math.max(0, state.depth - 1);
  else if (sign === ":" && state.depth === 0) state.opensBlock = true;
  else if (sign === "@" && isFirst) return stream.match(NAME) ? "meta" : null;
  return null;
}

/** @param {string} word @param {StringStream} stream @param {Reading} state @param {{isFirst: boolean, before: string}} place */
function wordOf(word, stream, state, { isFirst, before }) {
  if (word === "None") return "null";
  if (word === "True" || word === "False") return "bool";
  if (word === "self" || word === "cls") return "self";
  const isMatching = isFirst && (word === "match" || word === "case") && /^\s+[^=\s].*:\s*(#.*)?$/.test(stream.string.slice(stream.pos));
  if (KEYWORDS.has(word) || isMatching) {
    state.before = word;
    if (isFirst) state.leaves = LEAVING.has(word);
    return "keyword";
  }
  if (before === "def") return "variableName.function.definition";
  return before === "class" ? "className.definition" : "variableName";
}

/** @param {StringStream} stream @param {Reading} state */
function inString(stream, state) {
  const quote = state.quote ?? "";
  while (!stream.eol()) {
    if (stream.match(quote)) {
      state.quote = null;
      return "string";
    }
    if (stream.next() === "\\" && stream.next() === undefined) return "string"; // the next line goes on with it
  }
  if (quote.length === 1) state.quote = null;
  return "string";
}

/** How far the line after the state is indented, if its text does not say otherwise. @param {Reading} state @param {string} textAfter @param {number} unit */
export function indentOf({ quote, depth, indent, opensBlock, leaves }, textAfter, unit) {
  if (quote !== null) return null;
  if (depth > 0) return /^\s*[)\]}]/.test(textAfter) ? indent : indent + unit;
  const next = opensBlock ? indent + unit : leaves ? Math.max(0, indent - unit) : indent;
  return DEDENTED.test(textAfter) && !leaves ? Math.max(0, next - unit) : next;
}

export const python = StreamLanguage.define({
  name: "python",
  startState,
  token,
  indent: (/** @type {Reading} */ state, textAfter, { unit }) => indentOf(state, textAfter, unit),
  languageData: { commentTokens: { line: "#" }, indentOnInput: /^\s*([)\]}]|else:|elif |except |finally:)$/ },
});
