/**
 * Owns the material for a lecture: the steps that this tab collected, in order, with their notes. Callers
 * must read the material again after each `await`, because the visitor may have typed a note meanwhile.
 */

import { signal } from "../../../vendor/ui.js";
import { listIn, readStored, writeStored } from "../../io/browser-storage.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {KeptPart, ShownStep} from "../../io/lectures.js" */

const KEY = "lecture";
/**
 * The server's limits for a lecture: the number of parts, and of characters in a note, the title and the
 * author line.
 */
export const MOST = { parts: 60, note: 2000, title: 120, author: 80 };
/** The maximum number of characters that the collected steps take in session storage. */
const STORED = 2_000_000;

/**
 * The collected steps as parts of a lecture, in order.
 * @type {Signal<KeptPart[]>}
 */
export const kept = signal(stored());

/**
 * Adds a step as the last part. If a part for the same step of the same run exists already, that part gets
 * the new data and keeps its position and note, unless it has a different question. If there are too many
 * parts, the earliest are removed.
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
 * Swaps a part with the previous or the next part.
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
 * Whether a part shows the same step of the same run as a newly shown step, and no different question.
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
