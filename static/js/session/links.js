/**
 * Owns the links that this browser made. Each run is stored on the server once. The token that permits
 * changing or deleting a link is kept in the browser's storage.
 */

import { shownRun, storeSnippet } from "../io/api.js";
import { ownList } from "./own-list.js";

/** @import {Ran} from "../io/api.js" */
/** @import {Index} from "../run/types.d.ts" */

/** @typedef {import("./own-list.js").Own} OwnLink a link that this browser made */

/**
 * The ids of the snippets under which runs are stored. The key is an object that stays the same when a run
 * is indexed again.
 * @type {WeakMap<object, string>}
 */
const stored = new WeakMap();

/**
 * The link that was opened or made last. If the visitor shares changed code, this link becomes the parent of
 * the new link.
 */
let latest = /** @type {{id: string, source: string} | null} */ (null);

const { list, read, add, change, remove } = ownList("links", "/snippets");
/** The links that this browser made, the latest at the end. */
export const ownLinks = list;
/** Changes the title and the author line of a link that this browser made. */
export const headLink = change;

/**
 * Stores a run on the server, unless the run is already stored.
 * @param {Index} index
 * @param {string} [shown] the step, in the format of an address
 * @returns {Promise<string>} the id of its snippet
 */
export async function linkOf(index, shown = "") {
  const { header } = index;
  const id = stored.get(header) ?? (await makeLink(shownRun(index, null), shown));
  stored.set(header, id);
  return id;
}

/**
 * Records that a run is stored under a link.
 * @param {Index} index
 * @param {string} id
 */
export function noteLink({ header, source }, id) {
  stored.set(header, id);
  latest = { id, source };
}

/** Records that the text in the editor does not come from a link. */
export function forgetParent() {
  latest = null;
}

/**
 * Stores a snippet on the server, with its recording if `ran` contains a recording's token.
 * @param {Ran} ran
 * @param {string} [shown]
 */
export async function makeLink(ran, shown = "") {
  const { source } = ran;
  const parent = latest === null || latest.source === source ? null : latest.id;
  const { id } = await add(storeSnippet(ran, parent, shown), "");
  latest = { id, source };
  return id;
}

/**
 * Stores a snippet that somebody else changed, for example a student in a room.
 * @param {{source: string, stand_in: boolean, seed: number}} run
 * @param {string | null} parent the id of the snippet before the change
 */
export async function linkTo(run, parent) {
  return (await add(storeSnippet(run, parent, ""), "")).id;
}

/**
 * The link in a path such as /s/abc; null if another browser made it.
 * @param {string} path
 */
export function ownLink(path) {
  const [, id] = /\/s\/([A-Za-z0-9]+)(?:#|$)/.exec(path) ?? [];
  return ownLinks.value.find((link) => link.id === id) ?? null;
}

/**
 * Deletes a link that this browser made.
 * @param {string} id
 * @param {Index | undefined} index the run that is shown
 */
export async function removeLink(id, index) {
  await remove({ id, token: read().find((link) => link.id === id)?.token ?? "" });
  if (index !== undefined && stored.get(index.header) === id) stored.delete(index.header);
  if (latest?.id === id) latest = null;
}
