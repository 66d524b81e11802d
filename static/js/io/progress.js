/**
 * Owns what is known of a run that is not over yet, and when one that was refused may be tried again. Pure.
 */

/**
 * @typedef {(
 *   | {run: string, phase: "waiting", before: number}
 *   | {run: string, phase: "running", line: number, operators: number}
 * )} Progress
 */

/**
 * Milliseconds after which the page says that a run is on its way. Nearly all are over by then, and what
 * comes and goes at once is a flash.
 */
export const PATIENCE_MS = 300;

/** A class that was refused together does not come back in the same second. */
const APART_SECONDS = 4;
const LONGEST_SECONDS = 600;

/**
 * What an event of the server's stream tells; null for one that tells no progress.
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
 * Whole seconds until a refused run may be tried again: what the server asked for, and a few more by chance.
 * @param {number | undefined} asked seconds, as the server says it
 * @param {number} chance from 0 to 1
 */
export function secondsApart(asked, chance) {
  if (asked === undefined || !Number.isFinite(asked) || asked <= 0) return 0;
  return Math.ceil(Math.min(asked, LONGEST_SECONDS) + APART_SECONDS * chance);
}
