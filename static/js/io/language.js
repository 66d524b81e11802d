/** Owns the language that the page starts in. */

import { readStored } from "./browser-storage.js";

/**
 * What the address of a frame asks for, else what the visitor chose, or else the browser's preference.
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
 * The address of a language's words: for every page, or for runs or rooms only.
 * @param {string} tag
 * @param {"page" | "run" | "room"} part
 */
export function wordsAddress(tag, part) {
  return part === "page" ? `/words/${tag}.ftl` : `/words/${tag}.${part}.ftl`;
}

/**
 * The catalogue at an address, as far as a standalone file contains it: what each file needs, and what its
 * findings need.
 * @param {string} address
 * @returns {string}
 */
export function wordsInPage(address) {
  const held = ["words", "findings"].map((id) => document.getElementById(id)?.textContent ?? "{}");
  return held.map((text) => JSON.parse(text)[address] ?? "").join("\n");
}
