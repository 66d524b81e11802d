/**
 * Renders messages with markup. Text in backticks is shown as code, `S4` as a storage and `v1` as a version.
 * Terms become buttons that open the glossary (input/terms.js).
 */

import { h } from "../../vendor/ui.js";
import { button } from "./buttons.js";
import { LITERAL } from "../run/legible.js";
import { TERM, unmarked } from "../words/terms.js";

/** @import {VNode} from "../../vendor/ui.js" */

/**
 * Matches punctuation that must not begin a line of text. Such punctuation is kept together with a preceding
 * term, because a browser may break the line after a button.
 */
const CLOSING = /^[,.;:!?)\]…、。，；：！？）]+/;

const MARK = new RegExp(`\`(?!${LITERAL})`, "g");

/**
 * @param {string} text
 * @param {Set<string>} [linked] terms that an earlier sentence already links; each term is linked once
 * @returns {(VNode | string)[]}
 */
export function rich(text, linked = new Set()) {
  /** @type {(VNode | string)[]} */
  const shown = [];
  let id = "";
  for (const [number, part] of text.split(TERM).entries()) {
    if (number % 3 === 1) id = part;
    else if (number % 3 === 0) shown.push(...after(shown, part, number));
    else if (linked.has(id)) shown.push(...coded(part, number));
    else {
      linked.add(id);
      shown.push(
        button(
          { class: "term", key: `term ${number}`, "aria-haspopup": "dialog", "data-term": id },
          coded(part, 0),
        ),
      );
    }
  }
  return shown;
}

/**
 * Adds the text after a term. Punctuation at its beginning stays on the term's line.
 * @param {(VNode | string)[]} shown the parts so far; the last may be moved into a span
 * @param {string} text
 * @param {number} place index among the parts, for the keys
 */
function after(shown, text, place) {
  const [closing = ""] = CLOSING.exec(text) ?? [];
  const term = shown.at(-1);
  if (closing === "" || term === undefined || typeof term === "string") return coded(text, place);
  shown[shown.length - 1] = h("span", { class: "unbroken", key: `closed ${place}` }, term, closing);
  return coded(text.slice(closing.length), place);
}

/**
 * @param {string} text
 * @param {number} place index among the parts, for the keys
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
 * Removes the markup of a message, for places that show plain text.
 * @param {string} text
 */
export function plain(text) {
  return unmarked(text).replaceAll(MARK, "").replaceAll(LITERAL, "");
}
