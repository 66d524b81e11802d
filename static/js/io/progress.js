/** Owns the progress of a run, and the delay before a refused run is repeated. Pure. */

/**
 * `loading`: the run has arrived, and the layout engine is still loading.
 * @typedef {(
 *   | {run: string, phase: "waiting", before: number}
 *   | {run: string, phase: "running", line: number, operators: number}
 *   | {phase: "reading", percent: number}
 *   | {phase: "loading"}
 *   | {phase: "drawing"}
 * )} Progress
 */

/**
 * The page shows the progress of a run only after this time in ms. Almost all runs end earlier, and a
 * message would only flash.
 */
export const PATIENCE_MS = 300;

/**
 * The maximum random delay in s before a refused run is repeated. The random delay spreads the retries of a
 * class whose runs were refused at the same time.
 */
const APART_SECONDS = 4;
const LONGEST_SECONDS = 600;

/**
 * The progress that an event of the server reports; null if the event reports no progress.
 * @param {string} event
 * @param {any} body
 * @returns {Progress | null}
 */
export function progressOf(event, body) {
  if (event === "queued") return { run: body.run, phase: "waiting", before: Math.max(0, body.position - 1) };
  if (event === "running")
    return { run: body.run, phase: "running", line: body.line ?? 0, operators: body.operators };
  return null;
}

/**
 * The number of seconds until a refused run may be repeated: the server's Retry-After plus a random delay.
 * @param {number | undefined} asked the server's seconds
 * @param {number} chance from 0 to 1
 */
export function secondsApart(asked, chance) {
  if (asked === undefined || !Number.isFinite(asked) || asked <= 0) return 0;
  return Math.ceil(Math.min(asked, LONGEST_SECONDS) + APART_SECONDS * chance);
}
