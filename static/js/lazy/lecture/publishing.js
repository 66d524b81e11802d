/** Owns the publication of a lecture. The code of its steps is stored as links first. */

import { ApiError } from "../../io/api.js";
import { makeLink } from "../../session/links.js";
import { toast } from "../../state/store.js";
import { say } from "../../state/words.js";
import { kept } from "./kept.js";
import { publish } from "./own-lectures.js";

/** @import {KeptPart, KeptRun, LecturePart, Note} from "../../io/lectures.js" */

/** @typedef {(part: KeptPart) => Note} NoteOf returns the present note of a part */

/**
 * Publishes the kept parts that were not left out.
 * @param {() => {title: string, author: string}} heading returns the present heading
 * @param {NoteOf} noteOf
 */
export async function publishKept(heading, noteOf) {
  /** @type {Map<string, string>} */
  const links = new Map();
  for (let run = unstored(links); run !== undefined; run = unstored(links))
    links.set(keyOf(run), await makeLink(run).catch((error) => storedAgain(error, run)));
  // Notes are read last, because they may have been typed while links were stored.
  const parts = chosen().map((part) =>
    partOf(part, noteOf(part), part.run.snippet ?? links.get(keyOf(part.run)) ?? ""),
  );
  return publish({ ...heading(), parts });
}

/** The parts that were not left out. */
export function chosen() {
  return kept.peek().filter((part) => !part.isOut);
}

/**
 * A run of the lecture that has no link yet.
 * @param {Map<string, string>} links
 */
function unstored(links) {
  return chosen().find(({ run }) => run.snippet === null && !links.has(keyOf(run)))?.run;
}

/**
 * Stores a run whose recording the server no longer has. This runs the code again.
 * @param {unknown} error
 * @param {KeptRun} run
 */
function storedAgain(error, { source, stand_in }) {
  if (!(error instanceof ApiError) || error.kind !== "recording_gone") throw error;
  toast.value = { text: say("recording-gone") };
  return makeLink({ source, stand_in });
}

/** @param {KeptRun} run */
function keyOf({ source, stand_in, recording_token = "" }) {
  return `${stand_in}${recording_token}${source}`;
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
