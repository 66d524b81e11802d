/**
 * Stores the secrets with which this browser controls the rooms that it opened as a teacher. Only the latest
 * few secrets are kept, for one day, because a room stays open for one day.
 */

import { listIn, readStored, writeStored } from "../../io/browser-storage.js";

/** @import {Secrets} from "./api.js" */

/** `link`: the id of the link on which the room was opened, if known; `until`: in ms since 1970. */
/** @typedef {Secrets & {code: string, link: string | null, until: number}} Held */

const KEY = "rooms";
const MOST = 8;
const DAY_MS = 24 * 60 * 60 * 1000;
export const CODE = /^[ABCDEFGHJKLMNPQRSTUVWXYZ]{6}$/;

/**
 * Parses the stored secrets. Entries that are not valid or have expired are left out.
 * @param {string | null} text
 * @param {number} now
 * @returns {Held[]}
 */
export function read(text, now) {
  return listIn(text, (each) => isHeld(each, now)).slice(-MOST);
}

/**
 * @param {unknown} found
 * @param {number} now
 * @returns {found is Held}
 */
function isHeld(found, now) {
  const { code, secret, projector, link, until } = /** @type {Record<string, unknown>} */ (found ?? {});
  const isSecret = (/** @type {unknown} */ text) =>
    typeof text === "string" && text.length > 0 && text.length <= 200;
  return (
    typeof code === "string" &&
    CODE.test(code) &&
    isSecret(secret) &&
    isSecret(projector) &&
    (link === null || (typeof link === "string" && /^[A-Za-z0-9]{1,40}$/.test(link))) &&
    typeof until === "number" &&
    until > now &&
    until <= now + DAY_MS
  );
}

/** @param {string} code */
export function heldRoom(code) {
  return read(readStored(KEY), Date.now()).find((each) => each.code === code) ?? null;
}

/**
 * @param {string} code
 * @param {Secrets} secrets
 * @param {string | null} link
 */
export function hold(code, { secret, projector }, link) {
  const now = Date.now();
  const others = read(readStored(KEY), now).filter((each) => each.code !== code);
  const kept = [...others, { code, secret, projector, link, until: now + DAY_MS }].slice(-MOST);
  writeStored(KEY, JSON.stringify(kept));
}

/** @param {string} code */
export function letGo(code) {
  const others = read(readStored(KEY), Date.now()).filter((each) => each.code !== code);
  writeStored(KEY, JSON.stringify(others));
}
