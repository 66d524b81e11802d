/**
 * Owns the changes that a teacher's page has to send. The newest value of each key is sent, at most ten
 * times a second, one request at a time. Pure: time and random numbers are arguments. leading.js sends the
 * requests.
 */

import { apart } from "./connection.js";

/** Minimum time between two requests, in ms. */
export const APART = 100;

/**
 * `pending`: not sent yet; `sending`: being sent; `failures`: the number of consecutive failures.
 * @typedef {object} Outbox
 * @property {Record<string, unknown>} pending
 * @property {Record<string, unknown> | null} sending
 * @property {number} nextAt the earliest time of the next request
 * @property {number} failures
 */

/** @type {Outbox} */
export const EMPTY = { pending: {}, sending: null, nextAt: 0, failures: 0 };

/**
 * @param {Outbox} box
 * @param {Record<string, unknown>} news
 * @returns {Outbox}
 */
export function noted(box, news) {
  return { ...box, pending: { ...box.pending, ...news } };
}

/**
 * When the next request is due. Infinity: a request is in progress, or nothing is pending.
 * @param {Outbox} box
 */
export function dueAt({ pending, sending, nextAt }) {
  return sending !== null || Object.keys(pending).length === 0 ? Infinity : nextAt;
}

/**
 * Marks all pending values as being sent.
 * @param {Outbox} box
 * @param {number} now
 * @returns {Outbox}
 */
export function sending(box, now) {
  return { ...box, pending: {}, sending: box.pending, nextAt: now + APART };
}

/**
 * @param {Outbox} box
 * @returns {Outbox}
 */
export function arrived(box) {
  return { ...box, sending: null, failures: 0 };
}

/**
 * Makes the values that did not arrive pending again, except keys with a newer value.
 * @param {Outbox} box
 * @param {number | undefined} retryAfter in s, as the server asked for
 * @param {number} now
 * @param {number} chance
 * @returns {Outbox}
 */
export function failed(box, retryAfter, now, chance) {
  const pending = { ...box.sending, ...box.pending };
  const nextAt = now + apart(box.failures, retryAfter, chance);
  return { pending, sending: null, nextAt, failures: box.failures + 1 };
}

/**
 * Drops the values that the server refused.
 * @param {Outbox} box
 * @returns {Outbox}
 */
export function refused(box) {
  return { ...box, sending: null };
}

/**
 * Whether a key has a value that has not arrived, so that the room's value is older.
 * @param {Outbox} box
 * @param {string} key
 */
export function isUnderWay({ pending, sending }, key) {
  return key in pending || (sending !== null && key in sending);
}
