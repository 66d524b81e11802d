/** Determines the language in which the page starts, and the addresses of its messages. */

import { readStored } from "./browser-storage.js";

/**
 * The language that a frame's address requests, or else the visitor's choice, or else the browser's
 * preferred language.
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
 * The address of the messages in a language: those that every page needs, or those for runs or rooms.
 * @param {string} tag
 * @param {"page" | "run" | "room"} part
 */
export function wordsAddress(tag, part) {
  return part === "page" ? `/words/${tag}.ftl` : `/words/${tag}.${part}.ftl`;
}

/**
 * The messages that a standalone file contains in place of an address: the common ones, and those about the
 * file's findings.
 * @param {string} address
 * @returns {string}
 */
export function wordsInPage(address) {
  const held = ["words", "findings"].map((id) => document.getElementById(id)?.textContent ?? "{}");
  return held.map((text) => JSON.parse(text)[address] ?? "").join("\n");
}
