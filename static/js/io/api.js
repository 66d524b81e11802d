/**
 * Sends the page's HTTP requests to the server. Each function resolves to the content of the response, or
 * throws an ApiError with a message and a hint.
 */

import { pageToken } from "./boot.js";
import { eventsOf, linesOf, piecesOf } from "./event-stream.js";
import { API } from "./prefix.js";
import { progressOf } from "./progress.js";

/** @import {Progress} from "./progress.js" */
/** @import {Lesson, Words} from "./boot.js" */
/** @import {Document, CorrectedGradients} from "../run/trace.d.ts" */
/** @import {Trial} from "../run/trials.js" */
/** @import {Index} from "../run/types.d.ts" */

/**
 * A document without its trace, which is large and fetched separately by the id `recording`.
 * @typedef {Omit<Document, "trace"> & {recording: string}} DocumentApart
 */
/**
 * A received document together with the JSON text from which it was parsed.
 * @typedef {{document: Document | DocumentApart, text: string}} Received
 */

/** The media type of a large trace in pieces. */
const PIECES = "application/x-ndjson";

/** The reason for a failed request. Status 0: the server did not answer. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} kind
   * @param {{message?: string, hint?: string, retry_after?: number}} [said]
   */
  constructor(status, kind, said = {}) {
    super(said.message ?? "");
    this.status = status;
    this.kind = kind;
    this.hint = said.hint ?? "";
    /** The number of seconds after which to try again; undefined if the server gives no number. */
    this.retryAfter = said.retry_after;
  }
}

/**
 * Runs a snippet and reports its progress.
 * @param {string} source
 * @param {boolean} stand_in
 * @param {AbortSignal} signal cancels the run
 * @param {(progress: Progress) => void} onProgress
 */
export function runSnippet(source, stand_in, signal, onProgress) {
  return runAt("/traces", { body: JSON.stringify({ source, stand_in }), signal }, onProgress);
}

/**
 * Runs a snippet through any of the API's endpoints for runs.
 * @param {string} path
 * @param {RequestInit & {signal: AbortSignal}} options
 * @param {(progress: Progress) => void} onProgress
 * @returns {Promise<Received>}
 */
export async function runAt(path, options, onProgress) {
  const answer = await send(path, { method: "POST", ...options }, `text/event-stream, ${PIECES}`);
  if (!answer.body) throw new ApiError(answer.status, "broken");
  try {
    for await (const { event, text } of eventsOf(piecesOf(answer.body))) {
      const body = JSON.parse(text);
      if (event === "document") return { document: body, text };
      if (event === "error") throw new ApiError(answer.status, body.error, body);
      const progress = progressOf(event, body);
      if (progress !== null) onProgress(progress);
    }
  } catch (error) {
    if (error instanceof ApiError || options.signal.aborted) throw error;
  }
  throw new ApiError(0, "broken");
}

/**
 * Stops a run. The event stream of a stopped run still delivers the document. If the run has already ended,
 * nothing happens.
 * @param {string} run
 */
export async function stopRun(run) {
  await send(`/runs/${encodeURIComponent(run)}`, { method: "DELETE" });
}

/**
 * A snippet. `recording_token` names the run of the snippet that this visitor saw.
 * @typedef {{source: string, stand_in: boolean, seed?: number, recording_token?: string | undefined}} Ran
 */

/**
 * Stores a snippet.
 * @param {Ran} ran
 * @param {string | null} parent the id of the stored snippet from which the snippet was changed
 * @param {string} shown the step of its preview picture, in the format of an address
 * @returns {Promise<{id: string, url: string, deletion_token: string}>}
 */
export function storeSnippet({ source, stand_in, seed, recording_token }, parent, shown) {
  return ask("/snippets", {
    method: "POST",
    body: JSON.stringify({ source, stand_in, parent, shown, seed, recording_token }),
  });
}

/**
 * The texts that the author of a link published with it. `notes` has the notes about steps; its keys are the
 * steps as in an address.
 * @typedef {{title: string, author: string, notes?: Record<string, string>}} Heading
 */

/**
 * Changes an item that this browser stored: the heading of a snippet, or a lecture.
 * @param {string} path
 * @param {string} token
 * @param {object} news
 */
export async function changeOwn(path, token, news) {
  await send(path, { method: "PATCH", headers: { "X-Deletion-Token": token }, body: JSON.stringify(news) });
}

/**
 * Deletes an item that this browser stored on the server. If the item does not exist, nothing happens.
 * @param {string} path
 * @param {string} token
 */
export async function removeOwn(path, token) {
  await send(path, { method: "DELETE", headers: { "X-Deletion-Token": token } }).catch((error) => {
    if (error.status !== 404) throw error;
  });
}

/**
 * Reports a link or a lecture to the operator.
 * @param {string} path
 * @param {string} reason
 */
export async function report(path, reason) {
  await send(`${path}/reports`, { method: "POST", body: JSON.stringify({ reason }) });
}

/**
 * The address at which other devices reach this server, or candidates if the address is not known.
 * @returns {Promise<{address: string | null, nearby: string[], listens: boolean, embeds: boolean}>}
 */
export function publicAddress() {
  return ask("/address", {});
}

/**
 * The stored snippet from which a snippet was changed.
 * @typedef {{id: string, title?: string, author?: string}} Parent
 */

/**
 * @param {string} id
 * @param {AbortSignal} signal
 * @param {{again: boolean}} [may] whether the server may run the snippet again, if its recording is
 *   unreadable
 * @returns {Promise<Received & {
 *   id: string,
 *   source: string,
 *   stand_in?: boolean,
 *   notice?: {kind: string, message: string},
 *   title?: string,
 *   author?: string,
 *   notes?: Record<string, string>,
 *   parent?: Parent,
 * }>}
 */
export async function storedSnippet(id, signal, { again } = { again: true }) {
  const accept = `application/json, ${PIECES}`;
  const path = `/snippets/${encodeURIComponent(id)}${again ? "" : "?again=false"}`;
  const answer = await send(path, { signal }, accept);
  const text = await answer.text();
  try {
    return { ...JSON.parse(text), text };
  } catch {
    throw new ApiError(answer.status, "unreadable");
  }
}

/**
 * The pieces of a large trace, as JSON texts.
 * @param {string} recording
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<string>}
 */
export async function* piecesOfTrace(recording, signal) {
  const answer = await send(`/recordings/${encodeURIComponent(recording)}`, { signal }, PIECES);
  if (!answer.body) throw new ApiError(answer.status, "broken");
  yield* linesOf(piecesOf(answer.body));
}

/**
 * @param {string} slug
 * @returns {Promise<Lesson>}
 */
export function lessonOf(slug) {
  return ask(`/lessons/${encodeURIComponent(slug)}`, {});
}

/** @typedef {{name: string, title: Words, source: string}} Example a program that the editor offers */

/** @returns {Promise<Example[]>} */
export function examples() {
  return ask("/examples", {});
}

/** @typedef {Ran & {snippet: string | null}} Shown a run; `snippet`: the id of its link, if it has one */

/**
 * The form in which requests refer to a run.
 * @param {Index} index
 * @param {string | null} snippet
 * @returns {Shown}
 */
export function shownRun({ source, header, recording_token }, snippet) {
  return { source, stand_in: header.stand_in ?? false, recording_token, snippet };
}

/**
 * The corrected gradients of a run.
 * @param {Shown} run
 * @param {AbortSignal} signal
 * @returns {Promise<CorrectedGradients>}
 */
export function correctedGradients({ snippet, ...ran }, signal) {
  if (snippet !== null) return ask(`/snippets/${encodeURIComponent(snippet)}/right`, { signal });
  return ask("/right", { method: "POST", body: JSON.stringify(ran), signal });
}

/**
 * Requests tests of the fixes that a run's findings offer. Resolves to their results.
 * @param {Shown} run
 * @param {{finding?: number, fix?: number}} asked one fix; if omitted, the server chooses the fixes
 * @param {AbortSignal} signal
 * @returns {Promise<Trial[]>}
 */
export async function trialsOf({ snippet, ...ran }, asked, signal) {
  const [path, run] =
    snippet === null ? ["/trials", ran] : [`/snippets/${encodeURIComponent(snippet)}/trials`, {}];
  return (await ask(path, { method: "POST", body: JSON.stringify({ ...run, ...asked }), signal })).trials;
}

/** @typedef {"svg" | "pdf" | "png" | "dot"} PaperFormat */
/**
 * A picture for a paper; `step`: from 1.
 * @typedef {{
 *   picture: "graph" | "memory" | "both",
 *   format: PaperFormat,
 *   step: string,
 *   by: string,
 *   language: string,
 *   width: number,
 *   open: string[],
 *   open_storages: string[],
 *   why?: string,
 * }} PictureWanted
 */

/**
 * The picture of a run, and the name of its file.
 * @param {Shown} run
 * @param {PictureWanted} wanted
 */
export async function pictureForPaper({ snippet, ...ran }, wanted) {
  const [path, run] =
    snippet === null ? ["/pictures", ran] : [`/snippets/${encodeURIComponent(snippet)}/picture`, {}];
  const answer = await send(path, { method: "POST", body: JSON.stringify({ ...run, ...wanted }) });
  const [, name = ""] = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "") ?? [];
  return { name, content: await answer.blob() };
}

/**
 * Returns the JSON body of an answer. Parts that load later use this function, too.
 * @param {string} path
 * @param {RequestInit} options
 */
export async function ask(path, options) {
  const answer = await send(path, options);
  const body = await answer.json().catch(() => null);
  if (body === null) throw new ApiError(answer.status, "unreadable");
  return body;
}

/**
 * @param {string} path relative to the API
 * @param {RequestInit} options
 * @param {string} [accept]
 */
export async function send(path, options, accept = "application/json") {
  const headers = {
    "Content-Type": "application/json",
    Accept: accept,
    "X-Page-Token": pageToken,
    ...options.headers,
  };
  let answer;
  try {
    answer = await fetch(`${API}${path}`, { ...options, headers });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, "unreachable");
  }
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => ({}));
  const asked = answer.headers.get("Retry-After");
  throw new ApiError(answer.status, body.error ?? "unreadable", {
    ...body,
    ...(asked === null ? {} : { retry_after: Number(asked) }),
  });
}
