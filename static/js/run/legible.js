/**
 * Owns escaping of text that comes from a snippet. Legible text has no invisible characters, no direction
 * controls, no stacked combining marks, and no markup of the player. Pure.
 */

/** @import {Document, Held, Step} from "./trace.d.ts" */
/** @import {Tables} from "./pieces.js" */
/** @import {Index} from "./types.d.ts" */

const PLAIN = /^[\x20-\x7e]*$/;
/** Invisible characters, direction controls, and single characters that fonts draw as wide as a sentence. */
const UNSEEN =
  /[\0-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufdf0-\ufdfd\u{12000}-\u{1254f}\u{e0000}-\u{e0fff}]/gu;
/**
 * Zero-width joiners and non-joiners that are not next to a script or an emoji that uses them. Such joiners
 * are escaped.
 */
const JOINERS =
  /(?<![\u0600-\u109f\ufe0f]|\p{Extended_Pictographic})[\u200c\u200d]|[\u200c\u200d](?![\u0600-\u109f]|\p{Extended_Pictographic})/gu;
/** Combining marks after the fourth mark on one letter, because no language uses more. */
const PILED = /(?<=\p{M}{4})\p{M}+/gu;
const LEADING_MARK = /^\p{M}/u;
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [ISOLATE, END_ISOLATE] = ["\u2068", "\u2069"];
/**
 * An invisible character that marks text of a snippet as plain. A backtick before this mark does not begin
 * code. A name that ends with this mark is shown as a plain name, even if it looks like a storage (`S1`), a
 * version (`v1`) or a gradient (`[1.]`).
 */
export const LITERAL = "\u2060";

/**
 * Escapes characters as Python's `repr` does: `\u200b`.
 * @param {string} text
 */
function escaped(text) {
  return [...text]
    .map((character) => {
      const code = /** @type {number} */ (character.codePointAt(0));
      if (character === "\n") return "\\n";
      if (character === "\t") return "\\t";
      if (character === "\r") return "\\r";
      const [letter, digits] = code < 256 ? ["x", 2] : code < 65536 ? ["u", 4] : ["U", 8];
      return `\\${letter}${code.toString(16).padStart(digits, "0")}`;
    })
    .join("");
}

/**
 * Makes one line of text legible: a name, a type, a message within a sentence.
 * @param {string} text
 * @returns {string}
 */
export function legible(text) {
  if (PLAIN.test(text)) return text;
  const visible = text
    .replace(UNSEEN, escaped)
    .replace(JOINERS, escaped)
    .replace(PILED, escaped)
    .replace(LEADING_MARK, "◌$&");
  return FROM_THE_RIGHT.test(visible) ? `${ISOLATE}${visible}${END_ISOLATE}` : visible;
}

/**
 * Makes several lines of text legible: printed output, the message of an exception.
 * @param {string} text
 * @returns {string}
 */
export function legibleLines(text) {
  if (PLAIN.test(text)) return text;
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(/\r(?=.)/g, "\\r\n")
    .split("\n")
    .map((line) => line.split("\t").map(legible).join("\t"))
    .join("\n");
}

/**
 * Marks text of a snippet within a sentence of the player, so that its backticks do not begin code, and a
 * variable named `v1` is not formatted as a version.
 * @param {string} text
 */
export function literal(text) {
  return text.replaceAll("`", `\`${LITERAL}`).replace(/^(S\d+|v\d+|\[.*\])$/, `$1${LITERAL}`);
}

/** The maximum number of characters shown of a source line, and the maximum number of lines. */
const READ = { characters: 300, lines: 40 };

/**
 * Lines of the source as legible text. Each line is cut at the maximum length.
 * @param {Pick<Index, "source">} index
 * @param {number} line the first, from 1
 * @param {number} [last]
 */
export function linesOf({ source }, line, last = line) {
  const lines = source.split("\n").slice(line - 1, Math.min(last, line + READ.lines - 1));
  return lines
    .map((text) => legible(text.length > READ.characters ? `${text.slice(0, READ.characters)}…` : text))
    .join("\n")
    .trim();
}

/** The maximum number of characters shown from the beginning and from the end of a name. */
const NAME = { head: 60, tail: 40 };

/**
 * Makes a name legible, and shortens it in the middle if it is too long.
 * @param {string} text
 */
function named(text) {
  const brief =
    text.length <= NAME.head + NAME.tail ? text : `${text.slice(0, NAME.head)}…${text.slice(-NAME.tail)}`;
  return literal(legible(brief.replace(/\p{Surrogate}/gu, "\ufffd")));
}

/**
 * The tables of a trace with all text made legible, except the source, because the source is run again.
 * @template {Tables} T
 * @param {T} trace
 * @returns {T}
 */
export function legibleTables(trace) {
  return {
    ...trace,
    steps: each(trace.steps, (step) => {
      const given = step.result;
      const shown = typeof given === "object" && given !== null ? { ...step, result: heldOf(given) } : step;
      const readable = changed(shown, "name", named);
      return readable.message == null
        ? readable
        : changed(/** @type {Step & {message: string}} */ (readable), "message", (text) =>
            literal(legibleLines(text)),
          );
    }),
    frames: each(trace.frames, (frame) => changed(frame, "function", named)),
    outputs: each(trace.outputs, (output) =>
      changed(changed(output, "text", legibleLines), "category", named),
    ),
    names: each(trace.names, (name) => changed(name, "path", named)),
    variables: each(trace.variables, (variable) => withLegible(changed(variable, "name", named))),
    tensors: each(trace.tensors, (tensor) => changed(tensor, "type", named)),
    nodes: each(trace.nodes, (node) => changed(node, "name", named)),
    saved_tensors: each(trace.saved_tensors, (saved) => changed(saved, "name", named)),
    hooks: each(trace.hooks, (hook) => changed(hook, "function", named)),
  };
}

/**
 * Makes the values of a variable, or of an update of a variable, legible.
 * @template {{value?: [number, Held | null][]}} T
 * @param {T} variable
 * @returns {T}
 */
export function withLegible(variable) {
  const value = variable.value?.map(
    ([tick, held]) => /** @type {[number, Held | null]} */ ([tick, held && heldOf(held)]),
  );
  return value === undefined ? variable : { ...variable, value };
}

/** @param {Held} held */
function heldOf(held) {
  return changed(changed(held, "type", named), "text", legible);
}

/**
 * The arguments of a finding or of the end of a run as legible text.
 * @param {Document["end_arguments"]} args
 */
export function legibleArguments(args) {
  return Object.fromEntries(
    Object.entries(args ?? {}).map(([key, value]) => [
      key,
      typeof value === "string" ? wordsOf(key, value) : value,
    ]),
  );
}

/**
 * Makes one argument of a message legible. The argument `names` is unchanged, because its names are already
 * marked as code.
 * @param {string} key
 * @param {string} value
 */
function wordsOf(key, value) {
  return key === "names" ? value : key === "message" ? literal(legibleLines(value)) : named(value);
}

/**
 * @template T
 * @param {T[] | undefined} table
 * @param {(record: T) => T} change
 * @returns {T[] | undefined}
 */
function each(table, change) {
  return table?.map(change);
}

/**
 * A copy of the record with one field made legible, or the same record if the field already is.
 * @template {object} T
 * @param {T} record
 * @param {keyof T} field
 * @param {(text: string) => string} how
 * @returns {T}
 */
function changed(record, field, how) {
  const text = record[field];
  if (typeof text !== "string") return record;
  const better = how(text);
  return better === text ? record : { ...record, [field]: better };
}
