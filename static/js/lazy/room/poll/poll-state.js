/** Owns the types of the server's data about a question to a room, and validates this data. Pure. */

/** @import {Answer, Legal, Question} from "../../../run/questions/asked.d.ts" */

/**
 * @typedef {object} Poll
 * @property {number} id
 * @property {string} at the step at which it was asked
 * @property {Question} question
 * @property {Legal} legal
 * @property {string[] | null} names the choices, if the answer is a name
 * @property {"live" | "hidden"} shown
 * @property {boolean} open
 * @property {Answer[] | null} right null: not revealed yet
 */
/** @typedef {[Answer, number][]} Tally the number of votes by answer */
/**
 * @typedef {object} Votes
 * @property {number} poll
 * @property {number} count of the members that answered
 * @property {Tally | null} tally the most frequent answer first, including hands; null: hidden
 * @property {number | null} others the number of answers that the tally omits
 * @property {Tally} [hands] counted by the teacher
 */

/**
 * @param {unknown} sent
 * @returns {Poll | null}
 */
export function pollOf(sent) {
  const { id, question, legal } = /** @type {Partial<Poll>} */ (sent ?? {});
  const isOne = typeof id === "number" && question?.kind !== undefined && legal?.form !== undefined;
  return isOne ? /** @type {Poll} */ (sent) : null;
}

/**
 * @param {unknown} sent
 * @returns {Votes | null}
 */
export function votesOf(sent) {
  const { poll, count } = /** @type {Partial<Votes>} */ (sent ?? {});
  return typeof poll === "number" && typeof count === "number" ? /** @type {Votes} */ (sent) : null;
}

/**
 * Whether a question of this kind is asked at the step after a write, and its answer is shown at the step
 * before the write.
 * @param {Question["kind"]} [kind]
 */
export function isWalkedBack(kind) {
  return kind === "stale_by";
}

/**
 * A string that identifies an answer: it is the same for equal answers.
 * @param {Answer} answer
 */
export function keyOf(answer) {
  const { kind, ...rest } = answer;
  const [first] = Object.entries(rest).filter(([name]) => name !== "cell" || kind !== "cell");
  return kind === "cell" ? `cell ${answer.storage} ${answer.cell}` : `${kind} ${first?.[1] ?? ""}`;
}

/**
 * The answers that get a bar, in order. A yes-or-no question always has bars for both answers. Any other
 * question has bars for the given answers, the most frequent first, and for the first correct answer after
 * it is revealed.
 * @param {Legal} legal
 * @param {Tally} tally
 * @param {Answer[]} right
 * @param {number} most
 * @returns {{rows: Tally, others: number}}
 */
export function barsOf(legal, tally, right, most) {
  const counts = new Map(tally.map(([answer, count]) => [keyOf(answer), count]));
  const counted = (/** @type {Answer} */ answer) =>
    /** @type {[Answer, number]} */ ([answer, counts.get(keyOf(answer)) ?? 0]);
  if (legal.form === "whether") {
    const both = [true, false].map((whether) => counted({ kind: "whether", whether }));
    return { rows: both, others: 0 };
  }
  const firstRight = right[0];
  const isIn = right.some((answer) => tally.slice(0, most).some(([given]) => keyOf(given) === keyOf(answer)));
  const added = firstRight === undefined || isIn ? [] : [counted(firstRight)];
  const rows = [...tally.slice(0, most - added.length), ...added];
  const shown = new Set(rows.map(([answer]) => keyOf(answer)));
  const others = tally.filter(([answer]) => !shown.has(keyOf(answer)));
  return { rows, others: others.reduce((all, [, count]) => all + count, 0) };
}
