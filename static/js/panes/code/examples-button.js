/**
 * Owns the button for examples and recent programs. The menu of the button is loaded when a visitor first
 * opens it.
 */

import { h, useState } from "../../../vendor/ui.js";
import { say } from "../../state/words.js";
import { button } from "../buttons.js";
import { loadChunk } from "../chunks.js";
import { Icon } from "../icons.js";
import { Lazy } from "../lazy.js";

/** The button and its popover, which Escape closes. */
export function ExamplesButton() {
  const [isOpen, setOpen] = useState(false);
  const load = async () => (await loadChunk("examples")).Menu;
  return [
    button(
      {
        key: "button",
        class: "button examples-button",
        title: say("examples"),
        "aria-label": say("examples"),
        popovertarget: "examples",
      },
      h(Icon, { name: "list", size: 16 }),
      h("span", null, say("examples")),
    ),
    h(
      "div",
      {
        key: "menu",
        class: "display examples",
        id: "examples",
        popover: "auto",
        role: "group",
        "aria-label": say("examples"),
        onToggle: (/** @type {ToggleEvent} */ { newState }) => setOpen(newState === "open"),
      },
      isOpen && h(Lazy, { isAsked: true, load }),
    ),
  ];
}
