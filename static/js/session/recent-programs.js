/** Owns the list of programs that this browser ran most recently, which is kept in the browser's storage. */

import { listIn, readStored, writeStored } from "../io/browser-storage.js";

/** @typedef {[source: string, at: number]} Recent a program, and when it was kept, in ms since 1970 */

const KEY = "recent";

/** The maximum number of programs, and of their characters in total. Programs beyond a limit are dropped. */
const MOST = { programs: 10, letters: 100_000 };

/** The programs that this browser ran most recently, the latest first. */
export function recentPrograms() {
  return listIn(readStored(KEY), isRecent).slice(0, MOST.programs);
}

/** @param {string} source */
export function keepProgram(source) {
  /** @type {Recent[]} */
  const all = [[source, Date.now()], ...recentPrograms().filter(([other]) => other !== source)];
  let room = MOST.letters;
  write(
    all.filter(([text]) => {
      const fits = text.length <= room;
      if (fits) room -= text.length;
      return fits;
    }),
  );
}

export function forgetPrograms() {
  write([]);
}

/** @param {Recent[]} all */
function write(all) {
  writeStored(KEY, JSON.stringify(all.slice(0, MOST.programs)));
}

/**
 * @param {unknown} entry
 * @returns {entry is Recent}
 */
function isRecent(entry) {
  return Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "number";
}
