/** Owns how a sentence of the catalogue becomes text on the page: backticks mark code, S4 a storage, v1 a version. */

import { h } from "../../vendor/ui.js";
import { LITERAL } from "../legible.js";

/** @import {VNode} from "../../vendor/ui.js" */

const MARK = new RegExp(`\`(?!${LITERAL})`, "g");

/**
 * @param {string} text
 * @returns {(VNode | string)[]}
 */
export function rich(text) {
  return text.split(MARK).map((part, number) => {
    const shown = part.replaceAll(LITERAL, "");
    return number % 2 === 0 ? shown : h("code", { class: lookOf(part), key: number }, shown);
  });
}

/** @param {string} code */
function lookOf(code) {
  if (/^S\d+$/.test(code)) return "storage-chip";
  if (/^v(\d+|\?)$/.test(code)) return "version-chip";
  if (/^\[.*\]$/.test(code)) return "gradient-chip";
  return "code";
}

/** The words without their marks, for places that hold plain text only. @param {string} text */
export function plain(text) {
  return text.replaceAll(MARK, "").replaceAll(LITERAL, "");
}
