/** Owns the menu of the page's look: size of text, contrast, text view, and prediction. */

import { h } from "../../../vendor/ui.js";
import { button } from "../buttons.js";
import {
  asText,
  hasContrast,
  hasValues,
  isPredicting,
  resize,
  SIZES,
  textSize,
  turn,
} from "../../state/preferences.js";
import { say } from "../../state/words.js";

/** @import {Signal} from "../../../vendor/ui.js" */

/** The button and its menu. Escape closes the menu. */
export function Display() {
  return [
    button(
      {
        class: "button display-button",
        title: say("display"),
        "aria-label": say("display"),
        popovertarget: "display",
      },
      h("span", { class: "letters", "aria-hidden": "true" }, "Aa"),
      h("span", { class: "display-word" }, say("display")),
    ),
    h(
      "div",
      { class: "display", id: "display", popover: "auto", role: "group", "aria-labelledby": "display-title" },
      h("h2", { id: "display-title" }, say("display")),
      h(Sizes, null),
      h(Switch, { name: "contrast", setting: hasContrast }),
      h(Switch, { name: "values", setting: hasValues }),
      h(Switch, { name: "text", setting: asText }),
      h(Switch, { name: "predict", setting: isPredicting }),
    ),
  ];
}

function Sizes() {
  const now = textSize.value;
  const change = (
    /** @type {string} */ id,
    /** @type {string} */ text,
    /** @type {1 | -1} */ direction,
    /** @type {number | undefined} */ end,
  ) =>
    button(
      {
        "aria-label": say(id),
        title: say(id),
        "aria-disabled": now === end ? "true" : undefined, // unlike `disabled`, keeps the focus
        onClick: () => resize(direction),
      },
      text,
    );
  return h(
    "div",
    { class: "display-row", role: "group", "aria-label": say("display-size") },
    h("span", null, say("display-size")),
    change("display-smaller", "−", -1, SIZES[0]),
    h("output", null, `${now} %`),
    change("display-larger", "+", 1, SIZES.at(-1)),
  );
}

/** @param {{name: string, setting: Signal<boolean>}} props */
export function Switch({ name, setting }) {
  return button(
    {
      class: "display-row",
      role: "switch",
      "aria-checked": setting.value ? "true" : "false",
      onClick: () => turn(setting),
    },
    h("span", null, say(`display-${name}`)),
    h("span", { class: "knob", "aria-hidden": "true" }),
  );
}
