/** Owns the talk with the server: every answer is a value or an ApiError with a message and a hint. */

/** @import {Document} from "./trace.d.ts" */

/** What the server said when it could not do what was asked. */
export class ApiError extends Error {
  /** @param {number} status @param {string} kind @param {string} message @param {string} hint */
  constructor(status, kind, message, hint) {
    super(message);
    this.status = status;
    this.kind = kind;
    this.hint = hint;
  }
}

/**
 * Run a snippet.
 * @param {string} source
 * @param {boolean} stand_in
 * @param {AbortSignal} signal
 * @returns {Promise<Document>}
 */
export function runSnippet(source, stand_in, signal) {
  return ask("/api/traces", { method: "POST", body: JSON.stringify({ source, stand_in }), signal });
}

/** Keep a snippet. @param {string} source @param {boolean} stand_in @returns {Promise<{id: string, url: string}>} */
export function keepSnippet(source, stand_in) {
  return ask("/api/snippets", { method: "POST", body: JSON.stringify({ source, stand_in }) });
}

/** @param {string} id @returns {Promise<{id: string, source: string, stand_in?: boolean, document: Document, notice?: string}>} */
export function keptSnippet(id) {
  return ask(`/api/snippets/${encodeURIComponent(id)}`, {});
}

/** @param {string} path @param {RequestInit} options */
async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: { "Content-Type": "application/json", Accept: "application/json" } });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", "", "");
  }
  const body = await answer.json().catch(() => null);
  if (!answer.ok || body === null) throw new ApiError(answer.status, body?.error ?? "unreadable", body?.message ?? "", body?.hint ?? "");
  return body;
}
