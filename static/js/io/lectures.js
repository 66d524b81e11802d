/** Owns the types of a lecture in the server's format, and the request that publishes a lecture. */

import { ask } from "./api.js";

/** @import {Shown} from "./api.js" */
/** @import {Answer, Question} from "../run/questions/asked.d.ts" */

/**
 * The note about a step, in one or both languages.
 * @typedef {{en?: string, "zh-CN"?: string}} Note
 */
/**
 * The item that the teacher marked at a step.
 * @typedef {{
 *   kind: "name" | "grad" | "tensor" | "storage" | "cell" | "node" | "line",
 *   id: number,
 *   cell?: number,
 * }} Marked
 */
/** @typedef {{kind: Question["kind"], until: string, place?: number}} Asks */
/**
 * A part of a lecture: a recording at a step, as `app/lectures/lecture.py` defines it. `at` and `view` are
 * the step and its view, in the format of an address. `document`: the address of the recording; null if its
 * link was deleted.
 * @typedef {{
 *   snippet?: string,
 *   lesson?: string,
 *   at: string,
 *   view?: string,
 *   marked?: Marked,
 *   note?: Note,
 *   question?: Question,
 *   asks?: Asks,
 *   tally?: [Answer, number][],
 *   document?: string | null,
 * }} LecturePart
 */
/** @typedef {{title: string, author: string, parts: LecturePart[]}} Lecture */
/** @typedef {Shown} KeptRun the run of a part; if it has no link, publishing the lecture creates one */
/**
 * A part that can be published with a lecture. `line`: the line of the part's step, for the list of parts.
 * `note`: null if the note stored in the browser is used. `isOut`: the visitor excluded the part from the
 * lecture.
 * @typedef {{
 *   id: number,
 *   run: KeptRun,
 *   at: string,
 *   line: number,
 *   view: string,
 *   marked: Marked | null,
 *   note: Note | null,
 *   question: Question | null,
 *   tally: [Answer, number][],
 *   isOut: boolean,
 * }} KeptPart
 */
/** @typedef {Pick<KeptPart, "run" | "at" | "line"> & Partial<KeptPart>} ShownStep what is known of it */

/**
 * @param {Lecture} lecture
 * @returns {Promise<{id: string, url: string, deletion_token: string}>}
 */
export function storeLecture(lecture) {
  return ask("/lectures", { method: "POST", body: JSON.stringify(lecture) });
}
