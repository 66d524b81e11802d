/** Owns the requests about rooms. Each function returns a value or throws an ApiError. */

import { ApiError, ask, send } from "../../io/api.js";
import { API } from "../../io/prefix.js";

/** @import {Answer, Question} from "../../run/questions/asked.d.ts" */
/** @import {RoomSnippet} from "./room-state.js" */

const ROOMS = "/rooms";
/**
 * The time for which a polling request waits on the server, and the maximum time for which the page waits
 * for the answer.
 */
const WAIT = { seconds: 20, mostMs: 30_000 };

/**
 * The credentials of a client: a header with a secret or a token, which is never part of an address.
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
 * Opens a room on a link. With the token that deletes the link, the room can be taken over later.
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
 * The recording that a room shows, as a stored snippet.
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
 * Changes the state that the room shows. Keys that are absent from `news` stay the same.
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
 * Continues teaching on this device. All other devices of the teacher are locked out.
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
 * Shows or hides the votes, stores the count of hands, or reveals the answer.
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
