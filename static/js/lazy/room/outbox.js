/**
 * Owns what a teacher's page has still to send: of each key the newest value, at most ten times a second, one
 * request at a time. Pure: time and chance are given; leading.js sends.
 */

import { apart } from "./connection.js";

/** In ms between two requests. */
export const APART = 100;

/**
 * `pending`: not sent yet; `sending`: being sent; `failures`: consecutive ones.
 * @typedef {object} Outbox
 * @property {Record<string, unknown>} pending
 * @property {Record<string, unknown> | null} sending
 * @property {number} nextAt when the next may go
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
 * When there is something to send; Infinity: when the request that is under way is answered, or never.
 * @param {Outbox} box
 */
export function dueAt({ pending, sending, nextAt }) {
  return sending !== null || Object.keys(pending).length === 0 ? Infinity : nextAt;
}

/**
 * All that is pending goes.
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
 * What did not arrive is pending again, unless there is something newer.
 * @param {Outbox} box
 * @param {number | undefined} retryAfter in s, what the server asked for
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
 * What the server refused is not sent again.
 * @param {Outbox} box
 * @returns {Outbox}
 */
export function refused(box) {
  return { ...box, sending: null };
}

/**
 * Whether a key has a value that has not arrived yet, so that the room's value is older.
 * @param {Outbox} box
 * @param {string} key
 */
export function isUnderWay({ pending, sending }, key) {
  return key in pending || (sending !== null && key in sending);
}
