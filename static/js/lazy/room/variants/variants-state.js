/**
 * Owns the types of the server's data about variants, validates this data, and formats outcomes and the
 * changed lines of a variant. Pure.
 */

import { common, gapsOf } from "../../../run/common.js";

/** @import {Sentence} from "../../../run/types.d.ts" */
/** @import {Picked} from "../room-state.js" */

/**
 * A class of variants: all variants that have the same outcome.
 * @typedef {object} VariantClass
 * @property {number} id
 * @property {string} kind
 * @property {string | null} exception its name; null if there is none, or if the name is withheld
 * @property {number | null} line
 * @property {number} count
 * @property {boolean} [public] whether a class may read the name of the exception; only sent to the teacher
 * @property {string[]} [lines] its first values, or the exception's message; only sent to the teacher
 */
/**
 * @typedef {object} Variants
 * @property {number} id of the collection
 * @property {boolean} open
 * @property {boolean} hidden
 * @property {number} count
 * @property {VariantClass[] | null} classes null: hidden
 * @property {number | null} others the number of variants in outcomes that are not listed
 * @property {Picked[]} picked
 */
/**
 * @typedef {{id: number, open?: boolean, hidden?: boolean}} Ahead an action that the server has not
 *   confirmed
 */
/** @typedef {{mark: "+" | "-" | " " | "…", number: number | null, text: string}} DiffLine */

/** An outcome with fewer variants is not shown to the class unless the teacher picks it. */
const FEWEST = 3;
/** The number of unchanged lines shown around a change. */
const AROUND = 1;
/** The kinds of ends that have a message of their own. */
const ENDS = new Set([
  "exited",
  "stopped",
  "timed_out",
  "out_of_memory",
  "output_too_large",
  "trace_too_large",
  "crashed",
  "interfered",
]);

/**
 * @param {unknown} sent
 * @returns {Variants | null}
 */
export function variantsOf(sent) {
  const { id, open, hidden, count, classes, picked } = /** @type {Partial<Variants>} */ (sent ?? {});
  const areNumbers = Number.isSafeInteger(id) && Number.isSafeInteger(count);
  const areFlags = typeof open === "boolean" && typeof hidden === "boolean";
  const isOne =
    areNumbers &&
    areFlags &&
    Array.isArray(picked) &&
    (classes === null || (Array.isArray(classes) && classes.every(isClass)));
  return isOne ? /** @type {Variants} */ (sent) : null;
}

/** @param {Partial<VariantClass> | null} sent */
function isClass(sent) {
  const { id, kind, exception, line, count, public: isPublic = true, lines = [] } = sent ?? {};
  const isText = (/** @type {unknown} */ text) => typeof text === "string";
  return (
    Number.isSafeInteger(id) &&
    Number.isSafeInteger(count) &&
    isText(kind) &&
    (exception === null || isText(exception)) &&
    (line === null || Number.isSafeInteger(line)) &&
    typeof isPublic === "boolean" &&
    Array.isArray(lines) &&
    lines.every(isText)
  );
}

/**
 * The collection with the changes that were made on this page but may not have reached the server yet.
 * @param {Variants | null} sent
 * @param {Ahead | null} ahead
 * @returns {Variants | null}
 */
export function withAhead(sent, ahead) {
  return sent === null || ahead?.id !== sent.id ? sent : { ...sent, ...ahead };
}

/**
 * The outcomes that the class may see: those that the teacher picked, and those of at least three variants.
 * `rows` is null if the outcomes are hidden.
 * @param {Variants} variants
 * @returns {{rows: VariantClass[] | null, others: number}}
 */
export function forClass({ hidden, classes, others, picked }) {
  if (hidden || classes === null) return { rows: null, others: 0 };
  const shown = new Set(picked.map(({ id }) => id));
  const rows = classes.filter(({ id, count }) => count >= FEWEST || shown.has(id));
  const left = classes.filter((each) => !rows.includes(each)).reduce((all, { count }) => all + count, 0);
  return { rows: rows.map(publicOf), others: (others ?? 0) + left };
}

/**
 * An outcome without the data that only the teacher may read.
 * @param {VariantClass} sent
 * @returns {VariantClass}
 */
export function publicOf({ lines: _, public: isPublic = true, ...sent }) {
  return isPublic ? sent : { ...sent, exception: null };
}

/**
 * The code to show for an outcome: of the chosen variant, or of the most frequent variant if none is chosen.
 * @param {{source: string}[]} sent most frequent first
 * @param {string | null} chosen
 * @returns {string | null} null: the outcome has no such variant any more
 */
export function sourceIn(sent, chosen) {
  return (chosen === null ? sent[0]?.source : sent.find(({ source }) => source === chosen)?.source) ?? null;
}

/**
 * A sentence about how the variants of an outcome ended.
 * @param {VariantClass} sent
 * @param {(text: string) => string} name escapes the name of the exception for a sentence
 * @returns {Sentence}
 */
export function endOf({ id, kind, exception, line }, name) {
  const at = line ?? 0;
  if (kind === "raised")
    return exception === null
      ? { id: "variants-raised-some", args: { line: at } }
      : { id: "variants-raised", args: { exception: name(exception), line: at } };
  if (kind === "silently_wrong" || kind === "stale")
    return { id: `variants-${kind.replace("_", "-")}`, args: { line: at } };
  if (kind === "finished") return { id: "variants-finished", args: { number: id } };
  return { id: ENDS.has(kind) ? `variants-${kind.replaceAll("_", "-")}` : "variants-otherwise", args: {} };
}

/**
 * Whether the server counts a run as a variant if the run ended in this way.
 * @param {string} [kind]
 */
export function isFiled(kind) {
  return kind !== "cancelled" && kind !== "worker_stopped";
}

/**
 * The CSS class for an outcome: whether the run ended well, badly, or was stopped.
 * @param {VariantClass} sent
 * @returns {"well" | "badly" | "stopped"}
 */
export function lookOf({ kind }) {
  if (kind === "finished") return "well";
  return ["raised", "silently_wrong", "stale"].includes(kind) ? "badly" : "stopped";
}

/**
 * The lines of a variant that differ from the room's snippet, and the unchanged lines around them, with line
 * numbers of the variant.
 * @param {string} before
 * @param {string} after
 * @returns {DiffLine[]} empty: nothing was changed
 */
export function changedLines(before, after) {
  const all = aligned(before.trimEnd().split("\n"), after.trimEnd().split("\n"));
  const isNear = all.map((_, at) =>
    all.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ mark }) => mark !== " "),
  );
  return all.flatMap((line, at) => {
    if (isNear[at]) return [line];
    return isNear[at - 1] && isNear.includes(true, at) ? [{ mark: "…", number: null, text: "" }] : [];
  });
}

/**
 * All lines of two texts as a diff, in order.
 * @param {string[]} left
 * @param {string[]} right
 * @returns {DiffLine[]}
 */
function aligned(left, right) {
  // compare with line breaks, so that empty lines are compared, too
  const whole = (/** @type {string[]} */ lines) => lines.map((line) => `${line}\n`);
  const pairs = common(whole(left), whole(right));
  return gapsOf(pairs, left.length, right.length).flatMap(([gone, come], number) => {
    const at = pairs[number]?.[1];
    return [
      ...gone.map((row) => /** @type {DiffLine} */ ({ mark: "-", number: null, text: left[row] ?? "" })),
      ...come.map((row) => lineOf("+", row)),
      ...(at === undefined ? [] : [lineOf(" ", at)]),
    ];
  });

  /**
   * @param {"+" | " "} mark
   * @param {number} row
   * @returns {DiffLine}
   */
  function lineOf(mark, row) {
    return { mark, number: row + 1, text: right[row] ?? "" };
  }
}
