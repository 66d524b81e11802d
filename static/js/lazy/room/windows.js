/**
 * Decides which window of a browser receives the event stream of a room and forwards it to the other
 * windows. With HTTP/1.1 a browser opens at most six connections to a server, so a stream per window would
 * block a seventh window. Pure: time and random numbers are arguments, and link.js sends and receives the
 * messages between windows.
 *
 * Web Locks would make this simpler, but they are not available on a page over plain HTTP.
 */

/** Times in ms. */
export const TIMES = {
  /** How long a new window waits for a message from the leading window, which has the stream. */
  answer: { least: 150, more: 150 },
  /** The interval between two messages with which the leading window shows that it is open. */
  beat: 2_000,
  /** If the leading window sends nothing for this time, another window becomes the leading window. */
  silence: { least: 5_000, more: 500 },
};

/**
 * Messages between windows.
 * @typedef {{kind: "ask" | "lead" | "resign", from: string, since: number}} Word
 */
/**
 * @typedef {object} Place the state of this window among the browser's windows that show the room in one role
 * @property {string} id
 * @property {"off" | "asking" | "leading" | "listening"} phase
 * @property {string | null} leader
 * @property {number} since when it began to lead
 * @property {number} wakeAt when a tick is due
 */
/** @typedef {{kind: "start" | "stop" | "tick"} | {kind: "word", word: Word}} Happening */

/**
 * @param {string} id
 * @returns {Place}
 */
export function outside(id) {
  return { id, phase: "off", leader: null, since: 0, wakeAt: Infinity };
}

/**
 * @param {Place} was
 * @param {Happening} what
 * @param {number} now in ms, the same clock in every window
 * @param {number} chance from 0 to 1
 * @returns {{place: Place, say: Word["kind"] | null}}
 */
export function after(was, what, now, chance) {
  if (what.kind === "start") return was.phase === "off" ? asking(was, now, chance) : quiet(was);
  if (what.kind === "stop") return { place: outside(was.id), say: was.phase === "leading" ? "resign" : null };
  if (was.phase === "off") return quiet(was);
  if (what.kind === "word") return heard(was, what.word, now, chance);
  if (now < was.wakeAt) return quiet(was);
  if (was.phase === "listening") return asking(was, now, chance);
  const since = was.phase === "leading" ? was.since : now;
  return {
    place: { ...was, phase: "leading", leader: was.id, since, wakeAt: now + TIMES.beat },
    say: "lead",
  };
}

/**
 * @param {Place} was
 * @param {Word} word
 * @param {number} now
 * @param {number} chance
 * @returns {{place: Place, say: Word["kind"] | null}}
 */
function heard(was, word, now, chance) {
  if (word.from === was.id) return quiet(was);
  if (word.kind === "ask") return { place: was, say: was.phase === "leading" ? "lead" : null };
  if (word.kind === "resign")
    return word.from === was.leader
      ? quiet({ ...was, phase: "asking", leader: null, wakeAt: now + chance * TIMES.answer.more })
      : quiet(was);
  if (was.phase === "leading" && isBefore(was, word)) return { place: was, say: "lead" };
  const wakeAt = now + TIMES.silence.least + chance * TIMES.silence.more;
  return quiet({ ...was, phase: "listening", leader: word.from, wakeAt });
}

/**
 * If two windows lead, whether this one stays the leading window. The window that has led for longer stays,
 * so that fewer streams end.
 * @param {Place} place
 * @param {Word} word
 */
function isBefore({ since, id }, word) {
  return since < word.since || (since === word.since && id < word.from);
}

/**
 * @param {Place} was
 * @param {number} now
 * @param {number} chance
 * @returns {{place: Place, say: Word["kind"]}}
 */
function asking(was, now, chance) {
  const wakeAt = now + TIMES.answer.least + chance * TIMES.answer.more;
  return { place: { ...was, phase: "asking", leader: null, wakeAt }, say: "ask" };
}

/**
 * @param {Place} place
 * @returns {{place: Place, say: null}}
 */
function quiet(place) {
  return { place, say: null };
}
