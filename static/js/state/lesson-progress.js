/**
 * Owns the visitor's progress through the lessons, as long as this browser stores it; it is sent to nobody.
 */

import { signal } from "../../vendor/ui.js";
import { writeStored, readStored } from "../io/browser-storage.js";

/**
 * How a lesson was first done: predicted rightly or wrongly, or run without a prediction.
 * @typedef {"right" | "wrong" | "seen"} Done
 */
/** @import {Signal} from "../../vendor/ui.js" */

const KEY = "course";
const WAYS = ["right", "wrong", "seen"];
/** The most lessons that are stored; there are fewer. */
const MOST = 500;

/**
 * By slug.
 * @type {Signal<Record<string, Done>>}
 */
export const done = signal(read(readStored(KEY)));

/**
 * Records that a lesson was done. Only the first time counts: after the answer was shown, a prediction proves
 * nothing.
 * @param {string} slug
 * @param {Done} how
 */
export function remember(slug, how) {
  if (Object.hasOwn(done.peek(), slug)) return;
  done.value = { ...done.peek(), [slug]: how };
  writeStored(KEY, JSON.stringify(done.peek()));
}

/**
 * The stored progress, as far as it is valid.
 * @param {string | null} text
 * @returns {Record<string, Done>}
 */
export function read(text) {
  try {
    const entries = Object.entries(JSON.parse(text ?? "{}")).filter(
      ([slug, how]) => /^[a-z0-9-]{1,100}$/.test(slug) && WAYS.includes(how),
    );
    return Object.fromEntries(entries.slice(0, MOST));
  } catch {
    return {};
  }
}

/**
 * How many of these lessons were done, and how many of them were predicted rightly.
 * @param {Record<string, Done>} progress
 * @param {{slug: string}[]} lessons
 */
export function countOf(progress, lessons) {
  const ways = lessons.map(({ slug }) => progress[slug]).filter((how) => how !== undefined);
  return { done: ways.length, right: ways.filter((how) => how === "right").length, count: lessons.length };
}
