/**
 * Owns the controls of hidden and pinned names: the buttons that hide or pin the selection, and the list of
 * hidden and pinned names.
 */

import { h } from "../../../vendor/ui.js";
import { button, iconButton } from "../buttons.js";
import { select, selected } from "../../state/selection.js";
import { played, state } from "../../state/store.js";
import { say } from "../../state/words.js";
import { bringBack, hide, namesOf, existingNames, pin, pins } from "../../state/pins.js";
import { Icon } from "../icons.js";
import { plain } from "../rich.js";

/** The names of the selected item at the current step. */
function chosenNames() {
  const [run, now, subject] = [played.peek(), state.peek(), selected.peek()];
  return run === null || now === null || subject === null ? [] : namesOf(run.index, run.memory, now, subject);
}

/** Hides the selection. */
export function hideChosen() {
  const names = chosenNames();
  if (names.length === 0) return;
  select(null);
  hide(names);
}

/** Pins the selection, or unpins it. */
export function pinChosen() {
  pin(chosenNames());
}

/**
 * The buttons that hide or pin the names of the selected item. The buttons are disabled for an item that
 * never had a name.
 */
export function PinButtons() {
  void [played.value, state.value, selected.value];
  const names = chosenNames();
  const isPinned = names.some((name) => pins.value.pinned.includes(name));
  const off = names.length === 0 ? "true" : undefined;
  return [
    iconButton("pin", say("wish-pin"), {
      key: "pin",
      class: "button icon-only pin-name",
      "aria-pressed": isPinned ? "true" : "false",
      "aria-disabled": off,
      onClick: pinChosen,
    }),
    iconButton("hidden", say("wish-hide"), {
      key: "hide",
      class: "button icon-only hide-name",
      "aria-disabled": off,
      onClick: hideChosen,
    }),
  ];
}

/** A button with the number of hidden and pinned names, and the list of these names below it. */
export function PinList() {
  const index = played.value?.index;
  if (index === undefined) return null;
  const hidden = existingNames(index, pins.value.hidden);
  const pinned = existingNames(index, pins.value.pinned);
  const count = hidden.length + pinned.length;
  if (count === 0) return null;
  const row = (/** @type {string} */ id, /** @type {string} */ name, /** @type {() => void} */ act) =>
    h(
      "li",
      { key: name },
      h("code", null, plain(name)),
      button({ "aria-label": `${say(id)}: ${plain(name)}`, onClick: act }, say(id)),
    );
  const list = (
    /** @type {string} */ id,
    /** @type {string[]} */ names,
    /** @type {string} */ word,
    /** @type {(name: string) => void} */ act,
  ) =>
    names.length === 0
      ? null
      : [
          h("h3", { key: `h${id}` }, say(id)),
          h(
            "ul",
            { key: `u${id}` },
            names.map((name) => row(word, name, () => act(name))),
          ),
        ];
  const sum = (/** @type {"hidden" | "pin"} */ icon, /** @type {string[]} */ names) =>
    names.length === 0
      ? null
      : [
          h(Icon, { name: icon, size: 16 }),
          names.length,
          h(
            "span",
            { class: "visually-hidden" },
            ` ${say(icon === "pin" ? "wishes-pinned" : "wishes-hidden")} `,
          ),
        ];
  return [
    button(
      { key: "open", class: "button pins-button", popovertarget: "pins", title: say("wishes") },
      sum("hidden", hidden),
      sum("pin", pinned),
    ),
    h(
      "div",
      {
        key: "list",
        class: "display pins",
        id: "pins",
        popover: "auto",
        role: "group",
        "aria-label": say("wishes"),
      },
      list("wishes-hidden", hidden, "wish-back", bringBack),
      list("wishes-pinned", pinned, "wish-unpin", (name) => pin([name])),
    ),
  ];
}
