/** Owns the button that opens the compare menu. The menu loads when the button is pressed. */

import { h, signal } from "../../../vendor/ui.js";
import { hasEditor, source } from "../../state/store.js";
import { say } from "../../state/words.js";
import { loadChunk } from "../chunks.js";
import { Icon } from "../icons.js";

/** @import {ComponentType, Signal} from "../../../vendor/ui.js" */

/** @type {Signal<{Menu: ComponentType} | null>} */
const chunk = signal(null);

/** The button, and the popover for its menu, which Escape closes. */
export function CompareButton() {
  if (!hasEditor.value) return null;
  const look = {
    class: "button compare-with-button",
    type: "button",
    title: say("compare"),
    "aria-label": say("compare-word"),
    popovertarget: "beside",
    disabled: source.value.trim() === "",
  };
  const load = async () => {
    chunk.value ??= await loadChunk("compare");
  };
  return [
    h(
      "button",
      { ...look, key: "button" },
      h(Icon, { name: "beside" }),
      h("span", null, say("compare-word")),
    ),
    h(
      "div",
      {
        key: "beside",
        class: "display beside",
        id: "beside",
        popover: "auto",
        role: "group",
        "aria-labelledby": "beside-title",
        onToggle: load,
      },
      h("h2", { id: "beside-title" }, say("compare")),
      chunk.value === null ? null : h(chunk.value.Menu, null),
    ),
  ];
}
