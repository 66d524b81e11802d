/**
 * Owns what the server tells of variants: its types, what of it is taken, how ends are called, and which
 * lines a variant changed. Pure.
 */

/** @import {Sentence} from "../../../run/types.d.ts" */
/** @import {Picked} from "../room-state.js" */

/**
 * Variants that ended alike.
 * @typedef {object} VariantClass
 * @property {number} id
 * @property {string} kind
 * @property {string | null} exception null also where its name is not told
 * @property {number | null} line
 * @property {number} count
 * @property {boolean} [public] whether a class may read the name of its exception: whoever teaches is told
 * @property {string[]} [lines] its first values, or what the exception said: whoever teaches has them
 */
/**
 * @typedef {object} Variants
 * @property {number} id of the collection
 * @property {boolean} open
 * @property {boolean} hidden
 * @property {number} count
 * @property {VariantClass[] | null} classes null: hidden
 * @property {number | null} others variants of classes that are not told
 * @property {Picked[]} picked
 */
/** @typedef {{id: number, open?: boolean, hidden?: boolean}} Ahead what was asked for, and is not told yet */
/** @typedef {{mark: "+" | "-" | " " | "…", number: number | null, text: string}} DiffLine */

/** So few are not told to a class one by one. */
const FEWEST = 3;
/** Pairs of lines that are compared; beyond that all lines between the first and the last change count. */
const MOST_PAIRS = 250_000;
/** Unchanged lines that stand around a change. */
const AROUND = 1;
/** Ends that have words of their own. */
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
 * @param {unknown} told
 * @returns {Variants | null}
 */
export function variantsOf(told) {
  const { id, open, hidden, count, classes, picked } = /** @type {Partial<Variants>} */ (told ?? {});
  const areNumbers = Number.isSafeInteger(id) && Number.isSafeInteger(count);
  const areFlags = typeof open === "boolean" && typeof hidden === "boolean";
  const isOne =
    areNumbers &&
    areFlags &&
    Array.isArray(picked) &&
    (classes === null || (Array.isArray(classes) && classes.every(isClass)));
  return isOne ? /** @type {Variants} */ (told) : null;
}

/** @param {Partial<VariantClass> | null} told */
function isClass(told) {
  const { id, kind, exception, line, count, public: isPublic = true, lines = [] } = told ?? {};
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
 * The collection with what was asked for here.
 * @param {Variants | null} told
 * @param {Ahead | null} ahead
 * @returns {Variants | null}
 */
export function withAhead(told, ahead) {
  return told === null || ahead?.id !== told.id ? told : { ...told, ...ahead };
}

/**
 * What a page shows to a class: nothing that is hidden, and no class of less than three that nobody picked.
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
 * What a class may read of variants that ended alike.
 * @param {VariantClass} told
 * @returns {VariantClass}
 */
export function publicOf({ lines: _, public: isPublic = true, ...told }) {
  return isPublic ? told : { ...told, exception: null };
}

/**
 * The code to show of a class: what was chosen, or what most of it wrote.
 * @param {{source: string}[]} told most frequent first
 * @param {string | null} chosen
 * @returns {string | null} null: nobody wrote it, or nobody does any more
 */
export function sourceIn(told, chosen) {
  return (chosen === null ? told[0]?.source : told.find(({ source }) => source === chosen)?.source) ?? null;
}

/**
 * How the variants of a class ended. `name`: its exception, as it may stand in a sentence.
 * @param {VariantClass} told
 * @param {(text: string) => string} name
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
 * Whether the server counts a run that ended so.
 * @param {string} [kind]
 */
export function isFiled(kind) {
  return kind !== "cancelled" && kind !== "worker_stopped";
}

/**
 * Whether an end is a good one, a bad one, or says nothing about the code.
 * @param {VariantClass} told
 * @returns {"well" | "badly" | "stopped"}
 */
export function lookOf({ kind }) {
  if (kind === "finished") return "well";
  return ["raised", "silently_wrong", "stale"].includes(kind) ? "badly" : "stopped";
}

/**
 * The lines of a variant that differ from the room's snippet, with what stands around them; numbers are those
 * of the variant.
 * @param {string} before
 * @param {string} after
 * @returns {DiffLine[]} none: nothing was changed
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
 * All lines of both, in order: first what begins both, last what ends both.
 * @param {string[]} left
 * @param {string[]} right
 * @returns {DiffLine[]}
 */
function aligned(left, right) {
  const most = Math.min(left.length, right.length);
  let head = 0;
  while (head < most && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < most - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const same = (/** @type {string} */ text, /** @type {number} */ at) =>
    /** @type {DiffLine} */ ({ mark: " ", number: at + 1, text });
  const end = right.length - tail;
  return [
    ...right.slice(0, head).map(same),
    ...between(left.slice(head, left.length - tail), right.slice(head, end), head),
    ...right.slice(end).map((text, at) => same(text, end + at)),
  ];
}

/**
 * The shortest way from some lines to others, by their longest common subsequence.
 * @param {string[]} left
 * @param {string[]} right
 * @param {number} first number of the first of `right`, from 0
 * @returns {DiffLine[]}
 */
function between(left, right, first) {
  const isShort = left.length * right.length <= MOST_PAIRS;
  const common = isShort ? commonOf(left, right) : null;
  /** @type {DiffLine[]} */
  const lines = [];
  let [at, to] = [0, 0];
  while (at < left.length || to < right.length) {
    const isSame = common !== null && at < left.length && to < right.length && left[at] === right[to];
    const goesLeft =
      to === right.length ||
      (at < left.length && (common === null || lengthAt(at + 1, to) >= lengthAt(at, to + 1)));
    if (isSame) lines.push({ mark: " ", number: first + to + 1, text: right[to] ?? "" });
    else if (goesLeft) lines.push({ mark: "-", number: null, text: left[at] ?? "" });
    else lines.push({ mark: "+", number: first + to + 1, text: right[to] ?? "" });
    if (isSame || goesLeft) at += 1;
    if (isSame || !goesLeft) to += 1;
  }
  return lines;

  /**
   * @param {number} row
   * @param {number} column
   */
  function lengthAt(row, column) {
    return common?.[row * (right.length + 1) + column] ?? 0;
  }
}

/**
 * How long the longest common subsequence is from each pair of places on, by rows.
 * @param {string[]} left
 * @param {string[]} right
 */
function commonOf(left, right) {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let at = left.length - 1; at >= 0; at -= 1)
    for (let to = right.length - 1; to >= 0; to -= 1) {
      const place = at * width + to;
      lengths[place] =
        left[at] === right[to]
          ? (lengths[place + width + 1] ?? 0) + 1
          : Math.max(lengths[place + width] ?? 0, lengths[place + 1] ?? 0);
    }
  return lengths;
}
