/**
 * Owns the links that this browser made: each run is stored once, and the token that changes or deletes its
 * link is kept in the browser's storage.
 */

import { signal } from "../../vendor/ui.js";
import { removeSnippet, storeSnippet, writeHeading } from "../io/api.js";
import { readStored, writeStored } from "../io/browser-storage.js";

/** @import {Heading} from "../io/api.js" */
/** @import {Index} from "../run/types.d.ts" */

/**
 * A link that this browser made; `day`: when, as 2026-11-23; both are "" of links of before.
 * @typedef {{id: string, token: string, title: string, day: string}} OwnLink
 */

const KEY = "links";
/** The most tokens that are kept; the oldest goes first. */
const MOST = 500;

/**
 * The ids of stored runs, by what stays the same when a run is indexed anew.
 * @type {WeakMap<object, string>}
 */
const stored = new WeakMap();

/** The link that was opened or made last: what is written on from it and shared has it as its parent. */
let latest = /** @type {{id: string, source: string} | null} */ (null);

/** The links that this browser made, the latest last. */
export const ownLinks = signal(read());

/**
 * Store a run once.
 * @param {Index} index
 * @param {string} [shown] the step, as an address says it
 * @returns {Promise<string>} the id of its snippet
 */
export async function linkOf({ header, source }, shown = "") {
  const id = stored.get(header) ?? (await makeLink(source, header.stand_in ?? false, shown));
  stored.set(header, id);
  return id;
}

/**
 * Note that a run is what a link shows.
 * @param {Index} index
 * @param {string} id
 */
export function noteLink({ header, source }, id) {
  stored.set(header, id);
  latest = { id, source };
}

/** Note that what is in the editor now was not written on from a link. */
export function forgetParent() {
  latest = null;
}

/**
 * Store a snippet that has no run here.
 * @param {string} source
 * @param {boolean} stand_in
 * @param {string} [shown]
 */
export async function makeLink(source, stand_in, shown = "") {
  const parent = latest === null || latest.source === source ? null : latest.id;
  const { id, deletion_token: token } = await storeSnippet(source, stand_in, parent, shown);
  latest = { id, source };
  const day = new Date().toISOString().slice(0, 10);
  write([...read().filter((link) => link.id !== id), { id, token, title: "", day }]);
  return id;
}

/**
 * The link of this path that this browser made; null for any other.
 * @param {string} path
 */
export function ownLink(path) {
  const [, id] = /\/s\/([A-Za-z0-9]+)(?:#|$)/.exec(path) ?? [];
  return ownLinks.value.find((link) => link.id === id) ?? null;
}

/**
 * Write a title and an author line above a link that this browser made.
 * @param {OwnLink} link
 * @param {Heading} heading
 */
export async function headLink({ id, token }, heading) {
  await writeHeading(id, token, heading);
  write(read().map((link) => (link.id === id ? { ...link, title: heading.title } : link)));
}

/**
 * Delete a link that this browser made.
 * @param {string} id
 * @param {Index | undefined} index the run that is shown
 */
export async function removeLink(id, index) {
  await removeSnippet(id, read().find((link) => link.id === id)?.token ?? "");
  write(read().filter((link) => link.id !== id));
  if (index !== undefined && stored.get(index.header) === id) stored.delete(index.header);
  if (latest?.id === id) latest = null;
}

/**
 * As stored, as far as it is valid: ids and tokens, and of later links their titles and days.
 * @returns {OwnLink[]}
 */
function read() {
  try {
    /** @type {[string, string, string?, string?][]} */
    const entries = JSON.parse(readStored(KEY) ?? "[]");
    return entries
      .filter(
        (entry) =>
          Array.isArray(entry) &&
          entry.every((text) => typeof text === "string") &&
          entry.slice(0, 2).every((text = "") => /^[\w-]{1,100}$/.test(text)) &&
          entry.length >= 2,
      )
      .map(([id, token, title = "", day = ""]) => ({ id, token, title, day }));
  } catch {
    return [];
  }
}

/** @param {OwnLink[]} links */
function write(links) {
  const kept = links.slice(-MOST);
  writeStored(KEY, JSON.stringify(kept.map(({ id, token, title, day }) => [id, token, title, day])));
  ownLinks.value = kept;
}
