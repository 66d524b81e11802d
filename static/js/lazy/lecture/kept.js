/**
 * Owns the material for a lecture: the steps that were shown in this tab, in order. Read this material again
 * after each await, because a note may have been typed meanwhile.
 */

import { signal } from "../../../vendor/ui.js";
import { listIn, readStored, writeStored } from "../../io/browser-storage.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {KeptPart, ShownStep} from "../../io/lectures.js" */

const KEY = "lecture";
/** The server's limits of a lecture: the number of parts, and of characters. */
export const MOST = { parts: 60, note: 2000, title: 120, author: 80 };
/** The maximum number of characters in the tab's storage. */
const STORED = 2_000_000;

/**
 * The shown steps, the earliest first.
 * @type {Signal<KeptPart[]>}
 */
export const kept = signal(stored());

/**
 * Adds a step that was shown. If the same step of the same run is already kept without another question,
 * that part gets the new data and keeps its position and note. Beyond the limit, the earliest parts are
 * removed.
 * @param {ShownStep} shown
 */
export function keep(shown) {
  const before = kept.peek().find((part) => isSame(part, shown));
  if (before !== undefined) return change(before.id, shown);
  const id = 1 + Math.max(0, ...kept.peek().map((part) => part.id));
  const part = {
    ...{ view: "", marked: null, note: null, question: null, tally: [], isOut: false },
    ...shown,
    id,
  };
  write([...kept.peek(), part].slice(-MOST.parts));
}

/**
 * Changes a kept part.
 * @param {number} id
 * @param {Partial<KeptPart>} more
 */
export function change(id, more) {
  write(kept.peek().map((part) => (part.id === id ? { ...part, ...more, id } : part)));
}

/**
 * Swaps a part with its neighbour.
 * @param {number} id
 * @param {1 | -1} direction
 */
export function move(id, direction) {
  const parts = [...kept.peek()];
  const at = parts.findIndex((part) => part.id === id);
  const [here, there] = [parts[at], parts[at + direction]];
  if (here === undefined || there === undefined) return;
  [parts[at], parts[at + direction]] = [there, here];
  write(parts);
}

/** Removes all parts. */
export function forget() {
  write([]);
}

/**
 * Whether a part shows this step of this run.
 * @param {KeptPart} part
 * @param {ShownStep} shown
 */
function isSame({ run, at, question }, shown) {
  const asks = shown.question ?? question;
  return (
    at === shown.at &&
    JSON.stringify(question ?? asks) === JSON.stringify(asks) &&
    run.source === shown.run.source &&
    run.stand_in === shown.run.stand_in &&
    (run.snippet ?? shown.run.snippet) === (shown.run.snippet ?? run.snippet)
  );
}

/** @param {KeptPart[]} parts */
function write(parts) {
  kept.value = parts;
  const text = JSON.stringify(parts);
  if (text.length <= STORED) writeStored(KEY, text, "sessionStorage");
}

/** @returns {KeptPart[]} */
function stored() {
  return listIn(readStored(KEY, "sessionStorage"), isPart).slice(-MOST.parts);
}

/**
 * @param {any} found
 * @returns {found is KeptPart}
 */
function isPart(found) {
  return (
    typeof found?.id === "number" &&
    typeof found.at === "string" &&
    typeof found.line === "number" &&
    typeof found.run?.source === "string" &&
    Array.isArray(found.tally)
  );
}
