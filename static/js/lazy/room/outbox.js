/**
 * Decides when a teacher's page sends its changes, and which. Only the newest value of each key is sent, in
 * one request at a time, at most ten times a second. Pure: time and random numbers are arguments. leading.js
 * sends the requests.
 */

import { apart } from "./connection.js";

/** The minimum time in ms between two requests. */
export const APART = 100;

/**
 * The changes that a page has to send. `pending`: values not sent yet; `sending`: values in the current
 * request; `failures`: the number of consecutive failed requests.
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
 * The time at which the next request must be sent. Infinity: a request is in progress, or nothing is
 * pending.
 * @param {Outbox} box
 */
export function dueAt({ pending, sending, nextAt }) {
  return sending !== null || Object.keys(pending).length === 0 ? Infinity : nextAt;
}

/**
 * The outbox after a request with all pending values was sent.
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
 * The outbox after a request failed: its values are pending again, except those of keys with a newer value.
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
 * The outbox after the server refused a request: its values are dropped.
 * @param {Outbox} box
 * @returns {Outbox}
 */
export function refused(box) {
  return { ...box, sending: null };
}

/**
 * Whether a value of the key is pending or being sent, so that the room's value is older.
 * @param {Outbox} box
 * @param {string} key
 */
export function isUnderWay({ pending, sending }, key) {
  return key in pending || (sending !== null && key in sending);
}
