/**
 * Owns the lessons that the page has loaded: the titles of all lessons, and the texts of some. A lesson's
 * program is named by the lesson's slug, and its corrected version `<slug>/fixed`.
 */

import { lessonOf } from "../io/api.js";
import { boot } from "../io/boot.js";

/** @import {Head, Lesson} from "../io/boot.js" */

const FIXED = "/fixed";

const whole = new Map(boot.whole.map((lesson) => [lesson.slug, lesson]));

/**
 * The lessons by group, in order.
 * @returns {[string, Head[]][]}
 */
export function groups() {
  /** @type {Map<string, Head[]>} */
  const found = new Map();
  for (const lesson of boot.lessons) {
    if (!found.has(lesson.group)) found.set(lesson.group, []);
    found.get(lesson.group)?.push(lesson);
  }
  return [...found];
}

/**
 * A lesson with its text and programs, which is fetched once if the page does not contain it.
 * @param {string} slug
 * @returns {Promise<Lesson>}
 */
export async function wholeLesson(slug) {
  const found = whole.get(slug) ?? (await lessonOf(slug));
  whole.set(slug, found);
  return found;
}

/**
 * The name of the loaded lesson's program with exactly this source; null if there is none.
 * @param {string} source
 * @returns {string | null}
 */
export function programOf(source) {
  for (const { slug, snippet, fixed } of whole.values()) {
    if (snippet.source === source) return slug;
    if (fixed?.source === source) return slug + FIXED;
  }
  return null;
}

/**
 * @param {string} program
 * @returns {string | undefined}
 */
export function sourceOf(program) {
  const lesson = whole.get(slugOf(program));
  return (isFixed(program) ? lesson?.fixed : lesson?.snippet)?.source;
}

/**
 * The title and group of the lesson that a program belongs to.
 * @param {string | null} program
 * @returns {Head | undefined}
 */
export function headOf(program) {
  return program === null ? undefined : boot.lessons.find((lesson) => lesson.slug === slugOf(program));
}

/** @param {string} program */
export function slugOf(program) {
  return isFixed(program) ? program.slice(0, -FIXED.length) : program;
}

/** @param {string} program */
export function isFixed(program) {
  return program.endsWith(FIXED);
}
