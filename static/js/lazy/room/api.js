/**
 * Sends the HTTP requests about rooms. Each function resolves to the server's response or throws an
 * ApiError.
 */

import { ApiError, ask, send } from "../../io/api.js";
import { API } from "../../io/prefix.js";

/** @import {Answer, Question} from "../../run/questions/asked.d.ts" */
/** @import {RoomSnippet} from "./room-state.js" */

const ROOMS = "/rooms";
/**
 * `seconds`: how long the server may hold a polling request until something changes. `mostMs`: how long the
 * page waits for the response.
 */
const WAIT = { seconds: 20, mostMs: 30_000 };

/**
 * The credentials of a client, as a header with a teacher's secret or a member's token. Credentials are
 * never part of an address.
 * @typedef {{"X-Room-Secret": string} | {"X-Room-Token": string}} Credentials
 */
/** @typedef {{secret: string, projector: string}} Secrets the teacher's secret, and one that may only read */

/** @param {string} code */
function of(code) {
  return `${ROOMS}/${encodeURIComponent(code)}`;
}

/**
 * @param {string} path
 * @param {string} method
 * @param {Credentials | Record<string, string>} headers
 * @param {object} [body]
 */
async function told(path, method, headers, body) {
  await send(path, { method, headers: { ...headers }, ...(body && { body: JSON.stringify(body) }) });
}

/**
 * Opens a room on a link. `token` is the token that deletes the link. If it is given, its holder can take
 * over the room later.
 * @param {string} snippet
 * @param {string | undefined} token
 * @returns {Promise<Secrets & {code: string}>}
 */
export function openRoom(snippet, token) {
  const headers = token === undefined ? undefined : { "X-Deletion-Token": token };
  return ask(ROOMS, { method: "POST", headers, body: JSON.stringify({ snippet }) });
}

/**
 * @param {string} code
 * @returns {Promise<{token: string}>}
 */
export function joinRoom(code) {
  return ask(`${of(code)}/members`, { method: "POST", body: "{}" });
}

/**
 * The stream of events of a room.
 * @param {string} code
 * @param {Credentials} credentials
 * @param {AbortSignal} signal
 */
export async function streamOf(code, credentials, signal) {
  const answer = await send(
    `${of(code)}/events`,
    { headers: { ...credentials }, signal },
    "text/event-stream",
  );
  if (!answer.body) throw new ApiError(answer.status, "broken");
  return answer.body;
}

/**
 * The keys that changed in a room after change number `after`. Waits for a change.
 * @param {string} code
 * @param {Credentials} credentials
 * @param {number} after
 * @param {AbortSignal} signal
 * @returns {Promise<unknown>}
 */
export async function changesOf(code, credentials, after, signal) {
  const tooLong = new AbortController();
  const end = () => tooLong.abort();
  signal.addEventListener("abort", end);
  const timer = setTimeout(end, WAIT.mostMs);
  try {
    const asked = new URLSearchParams({ after: String(after), wait: String(WAIT.seconds) });
    return await ask(`${of(code)}/state?${asked}`, { headers: { ...credentials }, signal: tooLong.signal });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/**
 * Fetches the recording that a room shows, in the form of a stored snippet.
 * @param {string} code
 * @param {Credentials} credentials
 * @param {RoomSnippet} snippet
 * @param {AbortSignal} signal
 */
export async function recordingOf(code, credentials, { id, recording, title }, signal) {
  const path = `${of(code)}/document/${encodeURIComponent(recording)}`;
  const answer = await send(path, { headers: { ...credentials }, signal });
  const text = await answer.text();
  try {
    return { ...JSON.parse(text), id, title, text };
  } catch {
    throw new ApiError(answer.status, "unreadable");
  }
}

/**
 * Changes the state that a room shows to its class. Keys that are absent from `news` stay the same.
 * @param {string} code
 * @param {Credentials} credentials
 * @param {object} news
 * @returns {Promise<{n: number}>} the number of this change
 */
export function lead(code, credentials, news) {
  return ask(of(code), { method: "PATCH", headers: { ...credentials }, body: JSON.stringify(news) });
}

/**
 * @param {string} code
 * @param {Credentials} credentials
 */
export function endRoom(code, credentials) {
  return told(of(code), "DELETE", credentials);
}

/**
 * A one-time code that lets another device of the teacher join the room.
 * @param {string} code
 * @param {Credentials} credentials
 * @returns {Promise<{one_time_code: string, seconds: number}>}
 */
export function deviceCode(code, credentials) {
  return ask(`${of(code)}/devices`, { method: "POST", headers: { ...credentials }, body: "{}" });
}

/**
 * @param {string} code
 * @param {string} one_time_code
 * @returns {Promise<Secrets>}
 */
export function claimDevice(code, one_time_code) {
  return ask(`${of(code)}/devices/claim`, { method: "POST", body: JSON.stringify({ one_time_code }) });
}

/**
 * Takes over a room on this device. All other devices of the teacher lose access as teachers.
 * @param {string} code
 * @param {string} token the token that deletes the link on which the room was opened
 * @returns {Promise<Secrets>}
 */
export function takeOver(code, token) {
  const headers = { "X-Deletion-Token": token };
  return ask(`${of(code)}/takeover`, { method: "POST", headers, body: "{}" });
}

/**
 * Asks the class a question. A previous question is removed.
 * @param {string} code
 * @param {Credentials} credentials
 * @param {{question: Question, shown: "live" | "hidden"}} asked
 * @returns {Promise<{id: number}>}
 */
export function askRoom(code, credentials, asked) {
  return ask(`${of(code)}/poll`, {
    method: "POST",
    headers: { ...credentials },
    body: JSON.stringify(asked),
  });
}

/**
 * Changes the question of a room: shows or hides the votes, stores the number of raised hands, or reveals
 * the answer.
 * @param {string} code
 * @param {Credentials} credentials
 * @param {{id: number, shown?: "live" | "hidden", revealed?: true, hands?: [Answer, number][]}} news
 */
export function changePoll(code, credentials, news) {
  return told(`${of(code)}/poll`, "PATCH", credentials, news);
}

/**
 * @param {string} code
 * @param {Credentials} credentials
 */
export function dropPoll(code, credentials) {
  return told(`${of(code)}/poll`, "DELETE", credentials);
}

/**
 * @param {string} code
 * @param {Credentials} credentials
 * @param {number} poll
 * @param {Answer} answer
 */
export function vote(code, credentials, poll, answer) {
  return told(`${of(code)}/votes`, "POST", credentials, { poll, answer });
}

/**
 * Reports to the teacher, without a name, that a student is lost at a step.
 * @param {string} code
 * @param {Credentials} credentials
 * @param {string} at
 */
export function tellLost(code, credentials, at) {
  return told(`${of(code)}/lost`, "POST", credentials, { at });
}

/** @param {string} code */
export function codePicture(code) {
  return `${API}${of(code)}/qr.svg`;
}
