/**
 * Owns the last answer that this page gave to a question of a room. The answer is in session storage, so
 * that it survives a reload.
 */

import { signal } from "../../../../vendor/ui.js";
import { readStored, writeStored } from "../../../io/browser-storage.js";

/** @import {Signal} from "../../../../vendor/ui.js" */
/** @import {Answer} from "../../../run/questions/asked.d.ts" */

/** @typedef {{room: string, poll: number, answer: Answer}} Given */

const KEY = "room-answer";

/** @type {Signal<Given | null>} */
const last = signal(stored());

/**
 * The answer that this page gave to a question of a room; null: none.
 * @param {string} room its code
 * @param {number} poll
 */
export function answerTo(room, poll) {
  const { value } = last;
  return value?.room === room && value.poll === poll ? value.answer : null;
}

/** @param {Given} given replaces an earlier answer */
export function rememberAnswer(given) {
  last.value = given;
  writeStored(KEY, JSON.stringify(given), "sessionStorage");
}

/** @returns {Given | null} */
function stored() {
  try {
    const found = JSON.parse(readStored(KEY, "sessionStorage") ?? "null");
    return typeof found?.answer?.kind === "string" ? found : null;
  } catch {
    return null;
  }
}
