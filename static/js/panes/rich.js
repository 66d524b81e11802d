/**
 * Owns how a sentence of the catalogue becomes text on the page: backticks mark code, S4 a storage, v1 a
 * version; terms are buttons, which lead to the glossary (input/terms.js).
 */

import { h } from "../../vendor/ui.js";
import { LITERAL } from "../run/legible.js";
import { TERM, unmarked } from "../words/terms.js";

/** @import {VNode} from "../../vendor/ui.js" */

const MARK = new RegExp(`\`(?!${LITERAL})`, "g");

/**
 * @param {string} text
 * @param {Set<string>} [linked] terms that lead to the glossary already, from a sentence before; each does so
 *   once
 * @returns {(VNode | string)[]}
 */
export function rich(text, linked = new Set()) {
  /** @type {(VNode | string)[]} */
  const shown = [];
  let id = "";
  for (const [number, part] of text.split(TERM).entries()) {
    if (number % 3 === 1) id = part;
    else if (number % 3 === 0 || linked.has(id)) shown.push(...coded(part, number));
    else {
      linked.add(id);
      shown.push(
        h(
          "button",
          {
            class: "term",
            type: "button",
            key: `term ${number}`,
            "aria-haspopup": "dialog",
            "data-term": id,
          },
          coded(part, 0),
        ),
      );
    }
  }
  return shown;
}

/**
 * @param {string} text
 * @param {number} place it has among its neighbours
 * @returns {(VNode | string)[]}
 */
function coded(text, place) {
  return text.split(MARK).map((part, number) => {
    const shown = part.replaceAll(LITERAL, "");
    return number % 2 === 0 ? shown : h("code", { class: lookOf(part), key: `${place} ${number}` }, shown);
  });
}

/** @param {string} code */
function lookOf(code) {
  if (/^S\d+$/.test(code)) return "storage-chip";
  if (/^v(\d+|\?)$/.test(code)) return "version-chip";
  if (/^\[.*\]$/.test(code)) return "gradient-chip";
  return "code";
}

/**
 * The words without their marks, for places that hold plain text only.
 * @param {string} text
 */
export function plain(text) {
  return unmarked(text).replaceAll(MARK, "").replaceAll(LITERAL, "");
}
