/** Reads the addresses and notes in the parts of a lecture. Pure. */

/** @import {Granularity} from "../../run/types.d.ts" */
/** @import {LecturePart, Note} from "../../io/lectures.js" */

/**
 * A lecture in the format that its page contains. A published lecture has an `id`. A plan, which ships with
 * Stepgrad, has a `slug` and a title in both languages.
 * @typedef {{
 *   id?: string,
 *   slug?: string,
 *   title?: string | Record<string, string>,
 *   about?: Record<string, string>,
 *   author?: string,
 *   minutes?: number,
 *   parts: LecturePart[],
 * }} Shown
 */

/**
 * The step that an address contains, counted from 0, and its granularity.
 * @param {string} at
 * @returns {{k: number, by: Granularity}}
 */
export function placeOf(at) {
  const asked = new URLSearchParams(at);
  const by = asked.get("by");
  return {
    k: Math.max(0, Number.parseInt(asked.get("step") ?? "1", 10) - 1),
    by: by === "line" || by === "operator" ? by : "node",
  };
}

/**
 * The address that plays the recording of a part at its step.
 * @param {LecturePart} part
 */
export function addressOf({ snippet, lesson, at, view = "" }) {
  const path = snippet === undefined ? `/lessons/${lesson}` : `/s/${snippet}`;
  return `${path}#${at}${view === "" ? "" : `&${view}`}`;
}

/**
 * The text of a note in the given language, or else in the other language; null: the note is empty.
 * @param {Note | undefined} note
 * @param {"en" | "zh-CN"} language
 * @returns {{text: string, lang: "en" | "zh-CN"} | null}
 */
export function noteIn(note, language) {
  const other = language === "en" ? "zh-CN" : "en";
  for (const lang of /** @type {const} */ ([language, other])) {
    const text = note?.[lang]?.trim() ?? "";
    if (text !== "") return { text, lang };
  }
  return null;
}

/**
 * The paragraphs of a note, which blank lines separate.
 * @param {string} text
 */
export function paragraphsOf(text) {
  return text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "");
}
