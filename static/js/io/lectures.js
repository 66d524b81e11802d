/** Owns what a lecture is as the server takes it, and its publication. */

import { ask } from "./api.js";

/** @import {Shown} from "./api.js" */
/** @import {Answer, Question} from "../run/questions/asked.d.ts" */

/**
 * The note on a step, in the languages that it has.
 * @typedef {{en?: string, "zh-CN"?: string}} Note
 */
/**
 * The marked item.
 * @typedef {{
 *   kind: "name" | "grad" | "tensor" | "storage" | "cell" | "node" | "line",
 *   id: number,
 *   cell?: number,
 * }} Marked
 */
/** @typedef {{kind: Question["kind"], until: string, place?: number}} Asks */
/**
 * A recording at a step, as `app/lectures/lecture.py` has it; `at` and `view`: as in addresses; `document`:
 * the address of its document, null where its link was deleted.
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
/** @typedef {Shown} KeptRun the run of a part; without a link one is made when the lecture is published */
/**
 * A part that can be published; `line` of its step: for the list; `note`: null as long as that of the browser
 * holds; `isOut`: whether it was left out.
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
/** @typedef {Pick<KeptPart, "run" | "at" | "line"> & Partial<KeptPart>} ShownStep as far as it is known */

/**
 * @param {Lecture} lecture
 * @returns {Promise<{id: string, url: string, deletion_token: string}>}
 */
export function storeLecture(lecture) {
  return ask("/lectures", { method: "POST", body: JSON.stringify(lecture) });
}
