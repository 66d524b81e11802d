/**
 * Owns the links that this browser made: each run is stored once, and the token that deletes its link is kept
 * in the browser's storage.
 */

import { removeSnippet, storeSnippet } from "../io/api.js";
import { readStored, writeStored } from "../io/browser-storage.js";

/** @import {Index} from "../run/types.d.ts" */

const KEY = "links";
/** The most tokens that are kept; the oldest goes first. */
const MOST = 500;

/**
 * The ids of stored runs, by what stays the same when a run is indexed anew.
 * @type {WeakMap<object, string>}
 */
const stored = new WeakMap();

/**
 * Store a run once.
 * @param {Index} index
 * @returns {Promise<string>} the id of its snippet
 */
export async function linkOf({ header, source }) {
  const id = stored.get(header) ?? (await makeLink(source, header.stand_in ?? false));
  stored.set(header, id);
  return id;
}

/**
 * Note that a run is what a link shows.
 * @param {Index} index
 * @param {string} id
 */
export function noteLink({ header }, id) {
  stored.set(header, id);
}

/**
 * Store a snippet that has no run here.
 * @param {string} source
 * @param {boolean} stand_in
 */
export async function makeLink(source, stand_in) {
  const { id, deletion_token } = await storeSnippet(source, stand_in);
  write([...tokens().filter(([made]) => made !== id), [id, deletion_token]]);
  return id;
}

/**
 * The id of a link that this browser made; null for any other.
 * @param {string} link
 */
export function ownIdOf(link) {
  const [, id] = /\/s\/([A-Za-z0-9]+)(?:#|$)/.exec(link) ?? [];
  return id !== undefined && tokens().some(([made]) => made === id) ? id : null;
}

/**
 * Delete a link that this browser made.
 * @param {string} id
 * @param {Index | undefined} index the run that is shown
 */
export async function removeLink(id, index) {
  const [, token = ""] = tokens().find(([made]) => made === id) ?? [];
  await removeSnippet(id, token);
  write(tokens().filter(([made]) => made !== id));
  if (index !== undefined && stored.get(index.header) === id) stored.delete(index.header);
}

/**
 * As stored, as far as it is valid.
 * @returns {[string, string][]} ids and tokens
 */
function tokens() {
  try {
    const entries = JSON.parse(readStored(KEY) ?? "[]");
    return entries.filter(
      (/** @type {unknown} */ entry) =>
        Array.isArray(entry) && entry.length === 2 && entry.every((text) => /^[\w-]{1,100}$/.test(text)),
    );
  } catch {
    return [];
  }
}

/** @param {[string, string][]} entries */
function write(entries) {
  writeStored(KEY, JSON.stringify(entries.slice(-MOST)));
}
