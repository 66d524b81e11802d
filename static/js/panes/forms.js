/** Owns what forms have in common: fields, check boxes, and the words about what an act came to. */

import { h, useState } from "../../vendor/ui.js";
import { sayFailure } from "../state/words.js";

/** @import {ComponentChildren, JSX} from "../../vendor/ui.js" */

/**
 * A text field under its label.
 * @param {string} label
 * @param {(text: string) => void} write
 * @param {JSX.IntrinsicElements["input"]} attributes
 */
export function field(label, write, attributes) {
  const onInput = (/** @type {{currentTarget: HTMLInputElement}} */ event) =>
    write(event.currentTarget.value);
  return h("label", null, h("span", null, label), h("input", { ...attributes, onInput }));
}

/**
 * @param {boolean} checked
 * @param {() => void} turn
 * @param {ComponentChildren} label
 */
export function checkBox(checked, turn, label) {
  return h(
    "label",
    { class: "sharing-choice" },
    h("input", { type: "checkbox", checked, onChange: turn }),
    label,
  );
}

/**
 * What the last act came to, and a function that does one: its words, or why it failed.
 * @param {string} [first]
 * @returns {[string, (act: () => Promise<string | void>) => Promise<void>]}
 */
export function useOutcome(first = "") {
  const [told, tell] = useState(first);
  const run = (/** @type {() => Promise<string | void>} */ act) =>
    act().then(
      (words) => tell(words ?? ""),
      (error) => tell(sayFailure(error)),
    );
  return [told, run];
}
