/** Publishes a lecture. The code of its steps is first stored on the server behind links. */

import { ApiError } from "../../io/api.js";
import { makeLink } from "../../session/links.js";
import { toast } from "../../state/store.js";
import { say } from "../../state/words.js";
import { kept } from "./kept.js";
import { publish } from "./own-lectures.js";

/** @import {KeptPart, KeptRun, LecturePart, Note} from "../../io/lectures.js" */

/** @typedef {(part: KeptPart) => Note} NoteOf returns the present note of a part */

/**
 * Publishes the collected parts, except those that the visitor excluded.
 * @param {() => {title: string, author: string}} heading returns the current title and author line
 * @param {NoteOf} noteOf
 */
export async function publishKept(heading, noteOf) {
  /** @type {Map<string, string>} */
  const links = new Map();
  for (let run = unstored(links); run !== undefined; run = unstored(links))
    links.set(keyOf(run), await makeLink(run).catch((error) => storedAgain(error, run)));
  // Notes are read last, because the visitor may have typed some while the links were being stored.
  const parts = chosen().map((part) =>
    partOf(part, noteOf(part), part.run.snippet ?? links.get(keyOf(part.run)) ?? ""),
  );
  return publish({ ...heading(), parts });
}

/** The collected parts, except those that the visitor excluded. */
export function chosen() {
  return kept.peek().filter((part) => !part.isOut);
}

/**
 * The first run of the lecture whose code is not stored behind a link yet; undefined: there is none.
 * @param {Map<string, string>} links
 */
function unstored(links) {
  return chosen().find(({ run }) => run.snippet === null && !links.has(keyOf(run)))?.run;
}

/**
 * Stores a run after a failed attempt. If the failure was that the server no longer has the recording, the
 * code is run again; any other error is thrown.
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
