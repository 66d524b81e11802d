/**
 * Owns the visitor's progress through the lessons. The progress is stored in the browser and not sent to the
 * server.
 */

import { signal } from "../../vendor/ui.js";
import { writeStored, readStored } from "../io/browser-storage.js";

/**
 * How the visitor first saw the answer of a lesson: predicted correctly ("right") or incorrectly ("wrong"),
 * or without a prediction ("shown"). A lesson that was "shown" is not complete. Older versions stored "seen"
 * instead of "shown", and such a lesson counts as complete.
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
 * How the visitor first saw the answer of each lesson, by the lesson's slug.
 * @type {Signal<Record<string, Done>>}
 */
export const done = signal(read(readStored(KEY)));

/**
 * The slugs of the lessons whose final change to the code the visitor made.
 * @type {Signal<Set<string>>}
 */
export const tried = signal(readTried(readStored(KEY_OF_TRIED)));

/**
 * Whether a lesson is done: the visitor predicted its answer or made its final change.
 * @param {string} slug
 */
export function isDone(slug) {
  const how = done.value[slug];
  return tried.value.has(slug) || (how !== undefined && how !== "shown");
}

/**
 * Records that the visitor made the final change of a lesson.
 * @param {string} slug
 */
export function rememberTried(slug) {
  if (tried.peek().has(slug)) return;
  tried.value = new Set([...tried.peek(), slug]);
  writeStored(KEY_OF_TRIED, JSON.stringify([...tried.peek()]));
}

/**
 * Records how the visitor saw the answer of a lesson. Only the first record of a lesson counts, because a
 * prediction after its answer was shown is no prediction.
 * @param {string} slug
 * @param {Done} how
 */
export function remember(slug, how) {
  if (Object.hasOwn(done.peek(), slug)) return;
  done.value = { ...done.peek(), [slug]: how };
  writeStored(KEY, JSON.stringify(done.peek()));
}

/**
 * Parses the stored progress, and drops invalid entries.
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
 * Parses the stored slugs, and drops invalid ones.
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
 * How many of the given lessons are done, and how many were predicted correctly.
 * @param {{slug: string}[]} lessons
 */
export function countOf(lessons) {
  return {
    done: lessons.filter(({ slug }) => isDone(slug)).length,
    right: lessons.filter(({ slug }) => done.value[slug] === "right").length,
    count: lessons.length,
  };
}
