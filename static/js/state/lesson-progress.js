/**
 * Owns the visitor's progress through the lessons. The progress is stored in this browser and sent nowhere.
 */

import { signal } from "../../vendor/ui.js";
import { writeStored, readStored } from "../io/browser-storage.js";

/**
 * How the answer of a lesson was first seen: predicted correctly or incorrectly, or shown without a
 * prediction. "shown" does not complete a lesson. "seen" is the former name, from a time when it completed a
 * lesson.
 * @typedef {"right" | "wrong" | "seen" | "shown"} Done
 */
/** @import {Signal} from "../../vendor/ui.js" */

const KEY = "course";
const WAYS = ["right", "wrong", "seen", "shown"];
const KEY_OF_TRIED = "course-tried";
const SLUG = /^[a-z0-9-]{1,100}$/;
/** The maximum number of stored lessons. There are fewer lessons. */
const MOST = 500;

/**
 * How the answer of each lesson was first seen, by slug.
 * @type {Signal<Record<string, Done>>}
 */
export const done = signal(read(readStored(KEY)));

/**
 * The slugs of the lessons whose change was completed.
 * @type {Signal<Set<string>>}
 */
export const tried = signal(readTried(readStored(KEY_OF_TRIED)));

/**
 * Whether a lesson is done, because its answer was predicted or its change was made.
 * @param {string} slug
 */
export function isDone(slug) {
  const how = done.value[slug];
  return tried.value.has(slug) || (how !== undefined && how !== "shown");
}

/**
 * Records that the change of a lesson was made.
 * @param {string} slug
 */
export function rememberTried(slug) {
  if (tried.peek().has(slug)) return;
  tried.value = new Set([...tried.peek(), slug]);
  writeStored(KEY_OF_TRIED, JSON.stringify([...tried.peek()]));
}

/**
 * Records how the answer of a lesson was seen. Only the first time counts, because a prediction after the
 * answer was shown proves nothing.
 * @param {string} slug
 * @param {Done} how
 */
export function remember(slug, how) {
  if (Object.hasOwn(done.peek(), slug)) return;
  done.value = { ...done.peek(), [slug]: how };
  writeStored(KEY, JSON.stringify(done.peek()));
}

/**
 * The valid part of the stored progress.
 * @param {string | null} text
 * @returns {Record<string, Done>}
 */
export function read(text) {
  try {
    const entries = Object.entries(JSON.parse(text ?? "{}")).filter(
      ([slug, how]) => SLUG.test(slug) && WAYS.includes(how),
    );
    return Object.fromEntries(entries.slice(0, MOST));
  } catch {
    return {};
  }
}

/**
 * The valid slugs of the stored text.
 * @param {string | null} text
 * @returns {Set<string>}
 */
export function readTried(text) {
  try {
    return new Set(
      JSON.parse(text ?? "[]")
        .filter((/** @type {unknown} */ slug) => typeof slug === "string" && SLUG.test(slug))
        .slice(0, MOST),
    );
  } catch {
    return new Set();
  }
}

/**
 * The number of the given lessons that are done, and the number that were predicted correctly.
 * @param {{slug: string}[]} lessons
 */
export function countOf(lessons) {
  return {
    done: lessons.filter(({ slug }) => isDone(slug)).length,
    right: lessons.filter(({ slug }) => done.value[slug] === "right").length,
    count: lessons.length,
  };
}
