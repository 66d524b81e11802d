/** Owns how what was kept becomes a lecture: its code is stored as links first, then it is published. */

import { makeLink } from "../../session/links.js";
import { kept } from "./kept.js";
import { publish } from "./own-lectures.js";

/** @import {KeptPart, KeptRun, LecturePart, Note} from "../../io/lectures.js" */

/** @typedef {(part: KeptPart) => Note} NoteOf what is said at a part by now */

/**
 * Publish what is kept and was not left out.
 * @param {() => {title: string, author: string}} heading by now
 * @param {NoteOf} noteOf
 */
export async function publishKept(heading, noteOf) {
  /** @type {Map<string, string>} */
  const links = new Map();
  for (let run = unstored(links); run !== undefined; run = unstored(links))
    links.set(keyOf(run), await makeLink(run.source, run.stand_in));
  // Read only now: notes may have been typed while links were stored.
  const parts = chosen().map((part) =>
    partOf(part, noteOf(part), part.run.snippet ?? links.get(keyOf(part.run)) ?? ""),
  );
  return publish({ ...heading(), parts });
}

/** The parts that are not left out. */
export function chosen() {
  return kept.peek().filter((part) => !part.isOut);
}

/**
 * A run of the lecture that no link shows yet.
 * @param {Map<string, string>} links
 */
function unstored(links) {
  return chosen().find(({ run }) => run.snippet === null && !links.has(keyOf(run)))?.run;
}

/** @param {KeptRun} run */
function keyOf({ source, stand_in }) {
  return `${stand_in}${source}`;
}

/**
 * @param {KeptPart} part
 * @param {Note} note
 * @param {string} snippet
 * @returns {LecturePart}
 */
function partOf({ at, view, marked, question, tally }, note, snippet) {
  const said = Object.fromEntries(Object.entries(note).filter(([, text]) => text.trim() !== ""));
  return {
    snippet,
    at,
    ...(view === "" ? {} : { view }),
    ...(marked === null ? {} : { marked }),
    ...(Object.keys(said).length === 0 ? {} : { note: said }),
    ...(question === null ? {} : { question }),
    ...(tally.length === 0 || question === null ? {} : { tally }),
  };
}
