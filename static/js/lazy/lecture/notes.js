/** Owns which note in the browser's storage belongs to a part, and the language of the note. Pure. */

/** @import {KeptPart, Note} from "../../io/lectures.js" */

const CHINESE = /\p{Script=Han}/u;

/**
 * The note that the browser stores about the step of a part. A stored note has one language: Chinese if it
 * contains Chinese characters, otherwise English.
 * @param {(source: string) => Record<string, string>} notesAbout
 * @param {KeptPart} part
 * @returns {Note}
 */
export function noteOfBrowser(notesAbout, { run, at }) {
  const text = notesAbout(run.source)[at] ?? "";
  if (text === "") return {};
  return CHINESE.test(text) ? { "zh-CN": text } : { en: text };
}
