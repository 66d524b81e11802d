/** Finds the stored note for a part of a lecture, and the language of the note. Pure. */

/** @import {KeptPart, Note} from "../../io/lectures.js" */

const CHINESE = /\p{Script=Han}/u;

/**
 * The note that the browser stores about the step of a part. The language of a stored note is not recorded:
 * it is taken as Chinese if the note contains Chinese characters, otherwise as English.
 * @param {(source: string) => Record<string, string>} notesAbout
 * @param {KeptPart} part
 * @returns {Note}
 */
export function noteOfBrowser(notesAbout, { run, at }) {
  const text = notesAbout(run.source)[at] ?? "";
  if (text === "") return {};
  return CHINESE.test(text) ? { "zh-CN": text } : { en: text };
}
