/**
 * Owns the notes that a visitor wrote about steps. Notes are stored in this browser, and sent to the server
 * only if the visitor publishes them with a link or a lecture. Programs are identified by a hash of their
 * code, and steps as in an address.
 */

import { signal } from "../../../vendor/ui.js";
import { listIn, readStored, writeStored } from "../../io/browser-storage.js";
import { STEP, stepAddress, stopAt } from "../../run/stops/step-address.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {Index} from "../../run/types.d.ts" */

/** @typedef {{program: string, notes: Record<string, string>}} Program `notes`: by the addresses of steps */

const KEY = "notes";
/**
 * Limits of the stored notes: the number of programs, of steps of one program, and of characters of one note
 * and of all notes.
 */
export const MOST = { programs: 40, steps: 300, letters: 2000, all: 200_000 };
const PROGRAM = /^[0-9a-z]{1,11}$/;

/**
 * The programs with notes, in the order in which their notes were last changed.
 * @type {Signal<Program[]>}
 */
export const programs = signal(read(readStored(KEY)));

/**
 * Parses stored notes. Entries that are not valid are left out.
 * @param {string | null} text
 * @returns {Program[]}
 */
export function read(text) {
  return bounded(listIn(text, isProgram));
}

/**
 * @param {unknown} found
 * @returns {found is Program}
 */
function isProgram(found) {
  const { program, notes } = /** @type {Record<string, unknown>} */ (found ?? {});
  if (typeof program !== "string" || !PROGRAM.test(program)) return false;
  if (typeof notes !== "object" || notes === null) return false;
  const all = Object.entries(notes);
  return (
    all.length <= MOST.steps &&
    all.every(([step, note]) => STEP.test(step) && typeof note === "string" && note.length <= MOST.letters)
  );
}

/**
 * The programs whose notes fit within the limits, the most recently changed ones if not all fit.
 * @param {Program[]} all
 */
function bounded(all) {
  let letters = 0;
  const isOver = (/** @type {Program} */ { notes }) => {
    letters += Object.values(notes).reduce((sum, note) => sum + note.length, 0);
    return letters > MOST.all;
  };
  const last = all.slice(-MOST.programs);
  return last.slice(last.findLastIndex(isOver) + 1);
}

/**
 * The note about a stop; "": there is none.
 * @param {Program[]} all
 * @param {Index} index
 * @param {number} k
 */
export function noteOf(all, index, k) {
  return notesOf(all, index.source)[stepAddress(index, k)] ?? "";
}

/**
 * Stores a note. An empty note is removed. If a program has too many notes, the oldest are removed.
 * @param {Index} index
 * @param {number} k
 * @param {string} note
 */
export function write(index, k, note) {
  const step = stepAddress(index, k);
  const stored = readStored(KEY); // read again, because another tab may have changed the notes
  const all = stored === null ? programs.peek() : read(stored);
  const others = Object.entries(notesOf(all, index.source)).filter(([other]) => other !== step);
  const kept = note === "" ? others : [...others, [step, note.slice(0, MOST.letters)]];
  const program = hashOf(index.source);
  const before = all.filter((each) => each.program !== program);
  const notes = Object.fromEntries(kept.slice(-MOST.steps));
  programs.value = bounded(kept.length === 0 ? before : [...before, { program, notes }]);
  writeStored(KEY, JSON.stringify(programs.peek()));
}

/**
 * The stops of a run that have a note, in order.
 * @param {Program[]} all
 * @param {Index} index
 */
export function notedIn(all, index) {
  const steps = Object.keys(notesOf(all, index.source));
  return steps.flatMap((step) => stopAt(index, step) ?? []).sort((a, b) => a - b);
}

/**
 * The notes about the steps of a program. The keys are the steps as in an address.
 * @param {Program[]} all
 * @param {string} source
 * @returns {Record<string, string>}
 */
export function notesOf(all, source) {
  if (all.length === 0) return {};
  const hash = hashOf(source);
  return all.find(({ program }) => program === hash)?.notes ?? {};
}

/**
 * A 53-bit hash of a text, which is enough to distinguish forty programs. The browser's own hash functions
 * are not used, because they need a secure connection.
 * @param {string} text
 */
export function hashOf(text) {
  let [low, high] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return (4294967296 * (2097151 & high) + (low >>> 0)).toString(36);
}
