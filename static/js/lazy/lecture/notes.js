/** Owns which of the browser's own notes belongs to a part, and in which language it is taken to be. Pure. */

/** @import {KeptPart, Note} from "../../io/lectures.js" */

const CHINESE = /\p{Script=Han}/u;

/**
 * The note that the browser stores about the step of a part. It has one text: Chinese where it has Chinese
 * characters.
 * @param {(source: string) => Record<string, string>} notesAbout
 * @param {KeptPart} part
 * @returns {Note}
 */
export function noteOfBrowser(notesAbout, { run, at }) {
  const text = notesAbout(run.source)[at] ?? "";
  if (text === "") return {};
  return CHINESE.test(text) ? { "zh-CN": text } : { en: text };
}
