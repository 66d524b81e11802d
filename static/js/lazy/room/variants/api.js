/**
 * Sends the HTTP requests about variants, which are changed versions of a room's snippet. Each function
 * resolves to the server's response or throws an ApiError.
 */

import { ask, runAt, send } from "../../../io/api.js";

/** @import {Progress} from "../../../io/progress.js" */
/** @import {Picked} from "../room-state.js" */
/** @import {Room} from "../room.js" */

/**
 * The variants that have the same outcome, the most frequent variant first.
 * @typedef {object} ClassVariants
 * @property {number} seed
 * @property {boolean} stand_in
 * @property {{source: string, count: number}[]} variants
 */

/** @param {Room} room */
function of({ code }) {
  return `/rooms/${encodeURIComponent(code)}/variants`;
}

/**
 * Starts to collect variants of the shown snippet. Earlier variants are deleted.
 * @param {Room} room
 * @returns {Promise<{id: number}>}
 */
export function collect(room) {
  return ask(of(room), { method: "POST", headers: { ...room.credentials }, body: "{}" });
}

/**
 * Changes a collection of variants: closes or reopens it, hides or shows the outcomes, or picks outcomes to
 * compare.
 * @param {Room} room
 * @param {{id: number, open?: boolean, hidden?: boolean, picked?: Picked[]}} news
 */
export async function change(room, news) {
  await send(of(room), { method: "PATCH", headers: { ...room.credentials }, body: JSON.stringify(news) });
}

/** @param {Room} room */
export async function drop(room) {
  await send(of(room), { method: "DELETE", headers: { ...room.credentials } });
}

/**
 * @param {Room} room
 * @param {number} id of a class
 * @returns {Promise<ClassVariants>}
 */
export function variantsIn(room, id) {
  return ask(`${of(room)}/${id}`, { headers: { ...room.credentials } });
}

/**
 * Runs a student's variant and adds it to the collection. The response has the same format as that of any
 * other run.
 * @param {Room} room
 * @param {number} variants the number of the collection
 * @param {string} source
 * @param {AbortSignal} signal
 * @param {(progress: Progress) => void} onProgress
 */
export function runVariant(room, variants, source, signal, onProgress) {
  const body = JSON.stringify({ variants, source });
  return runAt(`${of(room)}/runs`, { headers: { ...room.credentials }, body, signal }, onProgress);
}
