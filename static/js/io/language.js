/** Owns the language of the page at its start, and the addresses of its words. */

import { readStored } from "./browser-storage.js";

/**
 * The language in a frame's address, else the visitor's choice, else the browser's preference.
 * @returns {"en" | "zh-CN"}
 */
export function preferredLanguage() {
  const asked = globalThis.document?.documentElement.getAttribute("data-asked-language");
  const chosen = asked ?? readStored("language");
  const wanted = chosen === null ? navigator.languages : [chosen];
  return wanted.some((tag) => tag.toLowerCase().startsWith("zh")) &&
    !wanted[0]?.toLowerCase().startsWith("en")
    ? "zh-CN"
    : "en";
}

/**
 * The address of a language's words: the words of every page, or only the words for runs or rooms.
 * @param {string} tag
 * @param {"page" | "run" | "room"} part
 */
export function wordsAddress(tag, part) {
  return part === "page" ? `/words/${tag}.ftl` : `/words/${tag}.${part}.ftl`;
}

/**
 * The catalogue at an address, as a standalone file contains it: the common words, and the words of the
 * file's findings.
 * @param {string} address
 * @returns {string}
 */
export function wordsInPage(address) {
  const held = ["words", "findings"].map((id) => document.getElementById(id)?.textContent ?? "{}");
  return held.map((text) => JSON.parse(text)[address] ?? "").join("\n");
}
