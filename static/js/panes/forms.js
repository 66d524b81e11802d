/**
 * Owns components that several forms use: fields, check boxes, and lists of items created in this browser.
 * Also owns the state for the result of an action.
 */

import { h, useState } from "../../vendor/ui.js";
import { button } from "./buttons.js";
import { legible } from "../run/legible.js";
import { say, sayFailure } from "../state/words.js";

/** @import {ComponentChildren, JSX} from "../../vendor/ui.js" */
/** @import {Own} from "../session/own-list.js" */

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
 * A hook that returns a message and a function. The function runs an action and sets the message to the
 * action's result, or to the reason why the action failed.
 * @param {string} [first]
 * @returns {[string, (act: () => Promise<string | void>) => Promise<void>]}
 */
export function useOutcome(first = "") {
  const [outcome, setOutcome] = useState(first);
  const run = (/** @type {() => Promise<string | void>} */ act) =>
    act().then(
      (words) => setOutcome(words ?? ""),
      (error) => setOutcome(sayFailure(error)),
    );
  return [outcome, run];
}

/**
 * The list of items that this browser created on the server, each with a button that deletes it.
 * @param {"/s/" | "/l/"} path
 * @param {Own[]} all
 * @param {(made: Own) => void} remove
 * @param {string} [current] the id of the shown item
 */
export function madeList(path, all, remove, current) {
  const row = (/** @type {Own} */ made) => {
    const href = path + made.id;
    const name = made.title === "" ? href : legible(made.title);
    return h(
      "li",
      { key: made.id },
      h("a", { href, "aria-current": made.id === current ? "page" : undefined }, name),
      h("span", { class: "sharing-quiet" }, made.day),
      button(
        { "aria-label": say("share-delete-this", { name }), onClick: () => remove(made) },
        say("share-delete-short"),
      ),
    );
  };
  return h("ul", null, all.map(row));
}
