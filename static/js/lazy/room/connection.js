/**
 * Decides when a page opens or closes the event stream of a room, and when it polls instead. Pure: time and
 * random numbers are arguments, and the result describes the connection that link.js then establishes.
 *
 * The browser's EventSource is not used, because it stops permanently after any status but 200, such as a
 * proxy's 502 during a restart of the server.
 */

/** Times in ms. The server sends a heartbeat every 10 s. */
export const TIMES = {
  /**
   * If nothing arrives on a new stream within this time, a proxy presumably buffers the stream, and the page
   * polls instead.
   */
  first: 6_000,
  /** If no byte arrives on the stream for this time, the connection counts as broken. */
  silence: 20_000,
  /**
   * If no byte arrived for this time, the stream is reopened when the page becomes visible or online again.
   */
  doubtful: 12_000,
  /**
   * The delay between two attempts to connect. After the first failure it is at most `first`, because
   * another web process has taken over the room within this time.
   */
  apart: { least: 200, first: 600, most: 5_000 },
  /**
   * While the page polls, it tests a stream after `least`, and again after delays that double up to `most`.
   */
  probe: { least: 60_000, most: 600_000 },
  /**
   * While the page polls, a tested stream must still deliver bytes after this time, because a proxy may
   * forward only the first bytes. The page then uses the stream instead of polling.
   */
  proof: 5_000,
  /** The maximum delay that a Retry-After header of the server can cause. */
  asked: 60_000,
};
/** The number of consecutive failures of the stream after which the page polls instead. */
const MOST_FAILURES = 3;

/**
 * The wanted connection. `stream` and `poll`: the number of the attempt that must be in progress; null:
 * none. `wakeAt`: the time of the next "tick".
 * @typedef {object} Connection
 * @property {"off" | "opening" | "streaming" | "polling" | "waiting"} phase
 * @property {number | null} stream
 * @property {number | null} poll
 * @property {number} tries
 * @property {number} failures the number of consecutive failures
 * @property {number} heardAt when the last byte of the stream arrived, or the stream was opened
 * @property {number | null} firstAt when the first byte of the stream under test arrived
 * @property {number} probeAt when the next stream is tested
 * @property {number} probeAfter
 * @property {number} notBefore the earliest time that the server's Retry-After allows
 * @property {number} wakeAt
 */
/**
 * @typedef {( | {kind: "start" | "stop" | "bytes" | "polled" | "tick" | "nudge"} | {kind: "ended" |
 *   "unanswered", retryAfter?: number} )} Happening `nudge`: the page became online or visible; `ended`: the
 *   stream ended; `unanswered`: a poll got no response
 */

/** @type {Connection} */
export const OFF = {
  phase: "off",
  stream: null,
  poll: null,
  tries: 0,
  failures: 0,
  heardAt: 0,
  firstAt: null,
  probeAt: Infinity,
  probeAfter: TIMES.probe.least,
  notBefore: 0,
  wakeAt: Infinity,
};

/**
 * Whether the page is connected to the room. While the page connects for the first time, it counts as
 * connected.
 */
export function isHeard(/** @type {Connection} */ { phase, failures }) {
  return phase === "streaming" || (phase !== "waiting" && failures === 0);
}

/**
 * @param {Connection} was
 * @param {Happening} what
 * @param {number} now in ms
 * @param {number} chance from 0 to 1
 * @returns {Connection}
 */
export function after(was, what, now, chance) {
  if (what.kind === "stop") return { ...OFF, tries: was.tries };
  if (what.kind === "start") return was.phase === "off" ? opened(was, now) : was;
  switch (was.phase) {
    case "off":
      return was;
    case "opening":
      return whileOpening(was, what, now, chance);
    case "streaming":
      return whileStreaming(was, what, now, chance);
    case "waiting":
      return whileWaiting(was, what, now);
    case "polling":
      return whilePolling(was, what, now, chance);
  }
}

/**
 * @param {Connection} was
 * @param {Happening} what
 * @param {number} now
 * @param {number} chance
 */
function whileOpening(was, what, now, chance) {
  if (what.kind === "bytes") return streaming(was, now);
  if (what.kind === "ended") return failed(was, what, now, chance);
  if (what.kind === "tick" && now >= was.wakeAt) return polling(was, now);
  return was;
}

/**
 * @param {Connection} was
 * @param {Happening} what
 * @param {number} now
 * @param {number} chance
 */
function whileStreaming(was, what, now, chance) {
  if (what.kind === "bytes") return streaming(was, now);
  if (what.kind === "ended") return failed(was, what, now, chance);
  if (what.kind === "nudge" && now - was.heardAt > TIMES.doubtful) return opened(was, now);
  if (what.kind === "tick" && now >= was.wakeAt) return polling(was, now);
  return was;
}

/**
 * @param {Connection} was
 * @param {Happening} what
 * @param {number} now
 */
function whileWaiting(was, what, now) {
  if (what.kind === "nudge" && now >= was.notBefore) return opened(was, now);
  if (what.kind === "tick" && now >= was.wakeAt)
    return was.failures >= MOST_FAILURES ? polling(was, now) : opened(was, now);
  return was;
}

/**
 * The next state of a connection that polls and occasionally tests a stream.
 * @param {Connection} was
 * @param {Happening} what
 * @param {number} now
 * @param {number} chance
 */
function whilePolling(was, what, now, chance) {
  switch (what.kind) {
    case "polled":
      return asking({ ...was, failures: 0 }, now);
    case "unanswered": {
      const wakeAt = now + apart(was.failures, what.retryAfter, chance);
      return { ...was, poll: null, failures: was.failures + 1, notBefore: askedFor(what, now), wakeAt };
    }
    case "nudge":
      return was.poll === null && now >= was.notBefore ? asking(was, now) : was;
    case "bytes":
      if (was.firstAt !== null && now - was.firstAt >= TIMES.proof) return streaming(was, now);
      return {
        ...was,
        ...{ heardAt: now, firstAt: was.firstAt ?? now },
        wakeAt: was.poll === null ? was.wakeAt : now + TIMES.silence,
      };
    case "ended":
      return unproven(was, now);
    case "tick": {
      if (was.stream !== null && now - was.heardAt >= TIMES.silence) return unproven(was, now);
      return was.poll === null && now >= was.wakeAt ? asking(was, now) : was;
    }
    default:
      return was;
  }
}

/**
 * @param {Connection} was
 * @param {number} now
 * @returns {Connection}
 */
function opened(was, now) {
  const tries = was.tries + 1;
  return {
    ...was,
    ...{ phase: "opening", stream: tries, poll: null, tries },
    ...{ heardAt: now, firstAt: null, probeAt: Infinity, wakeAt: now + TIMES.first },
  };
}

/**
 * @param {Connection} was
 * @param {number} now
 * @returns {Connection}
 */
function streaming(was, now) {
  const probeAfter = was.phase === "polling" ? TIMES.probe.least : was.probeAfter;
  return {
    ...was,
    ...{ phase: "streaming", poll: null, failures: 0, firstAt: null, probeAt: Infinity, probeAfter },
    ...{ heardAt: now, wakeAt: now + TIMES.silence },
  };
}

/**
 * Switches from the stream to polling.
 * @param {Connection} was
 * @param {number} now
 */
function polling(was, now) {
  return asking(unproven({ ...was, phase: "polling" }, now), now);
}

/**
 * Polls once more, and tests a stream if a test is due.
 * @param {Connection} was
 * @param {number} now
 * @returns {Connection}
 */
function asking(was, now) {
  const isProbed = was.stream === null && now >= was.probeAt;
  const tries = was.tries + (isProbed ? 2 : 1);
  const probe = isProbed ? { stream: tries - 1, heardAt: now, firstAt: null, probeAt: Infinity } : {};
  const stream = probe.stream ?? was.stream;
  const wakeAt = stream === null ? Infinity : (probe.heardAt ?? was.heardAt) + TIMES.silence;
  return { ...was, ...probe, poll: tries, tries, wakeAt };
}

/**
 * Ends the test of a stream and continues polling. The delay until the next test is longer than the last
 * delay.
 * @param {Connection} was
 * @param {number} now
 * @returns {Connection}
 */
function unproven(was, now) {
  const probeAfter = Math.min(TIMES.probe.most, 2 * was.probeAfter);
  const wakeAt = was.poll === null ? was.wakeAt : Infinity;
  return { ...was, stream: null, firstAt: null, probeAt: now + was.probeAfter, probeAfter, wakeAt };
}

/**
 * @param {Connection} was
 * @param {{retryAfter?: number}} what
 * @param {number} now
 * @param {number} chance
 * @returns {Connection}
 */
function failed(was, what, now, chance) {
  const wakeAt = now + apart(was.failures, what.retryAfter, chance);
  const failures = was.failures + 1;
  return { ...was, phase: "waiting", stream: null, failures, notBefore: askedFor(what, now), wakeAt };
}

/**
 * @param {{retryAfter?: number}} what
 * @param {number} now
 */
function askedFor({ retryAfter }, now) {
  return retryAfter === undefined ? 0 : now + Math.min(TIMES.asked, retryAfter * 1000);
}

/**
 * The time in ms until the next attempt to connect. The time is random, so that the members of a class do
 * not reconnect all at once.
 * @param {number} failures before this one
 * @param {number | undefined} retryAfter in s
 * @param {number} chance
 */
export function apart(failures, retryAfter, chance) {
  const { least, first, most } = TIMES.apart;
  const longest = failures === 0 ? first : Math.min(most, 2000 * 2 ** failures);
  const asked = Math.min(TIMES.asked, Math.max(0, (retryAfter ?? 0) * 1000));
  return asked + least + chance * (longest - least);
}
