/** Owns the components for buttons, such as buttons with only an icon, and their common attributes. */

import { h } from "../../vendor/ui.js";
import { Icon } from "./icons.js";

/** @import {ComponentChildren, JSX} from "../../vendor/ui.js" */

/**
 * @typedef {JSX.IntrinsicElements["button"] & {
 *   [data: `data-${string}`]: string | number | null | undefined,
 * }} Attributes
 */

/**
 * A button that does not submit a form.
 * @param {Attributes} attributes
 * @param {ComponentChildren[]} children
 */
export function button(attributes, ...children) {
  return h("button", { class: "button", type: "button", ...attributes }, ...children);
}

/**
 * A button that shows only an icon. The label of the button is its tooltip and its name for screen readers.
 * @param {string} icon
 * @param {string} label
 * @param {Attributes & {size?: number | undefined}} attributes `size`: of the icon
 */
export function iconButton(icon, label, { size = 16, ...attributes }) {
  return button(
    { class: "button icon-only", title: label, "aria-label": label, ...attributes },
    h(Icon, { name: icon, size }),
  );
}

/**
 * A button of a switch that selects one of several values.
 * @param {boolean} isChosen
 * @param {() => void} choose
 * @param {ComponentChildren} words
 * @param {Attributes} [more]
 */
export function toggleButton(isChosen, choose, words, more) {
  return button({ class: undefined, "aria-pressed": isChosen, onClick: choose, ...more }, words);
}

/**
 * A button in a group of buttons that performs an action. If the action has no effect at the moment, the
 * button is marked as disabled but keeps the focus.
 * @param {string} label
 * @param {boolean} isOver
 * @param {() => void} act
 * @param {ComponentChildren} sign
 */
export function tool(label, isOver, act, sign) {
  const over = isOver ? "true" : undefined;
  return button(
    { class: undefined, title: label, "aria-label": label, "aria-disabled": over, onClick: act },
    sign,
  );
}
