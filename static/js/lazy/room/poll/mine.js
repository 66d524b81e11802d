/** Owns what this page answered last, in the storage of its tab: a reload does not forget it. */

import { signal } from "../../../../vendor/ui.js";
import { readStored, writeStored } from "../../../io/browser-storage.js";

/** @import {Signal} from "../../../../vendor/ui.js" */
/** @import {Answer} from "../../../run/questions/asked.d.ts" */

/** @typedef {{room: string, poll: number, answer: Answer}} Given */

const KEY = "room-answer";

/** @type {Signal<Given | null>} */
const last = signal(stored());

/**
 * The own answer to a question of a room; null for no answer, or one to another question.
 * @param {string} room its code
 * @param {number} poll
 */
export function answerTo(room, poll) {
  const { value } = last;
  return value?.room === room && value.poll === poll ? value.answer : null;
}

/** @param {Given} given in place of an earlier one */
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
