/** Owns the button that puts another snippet beside this one; what it offers is loaded when it is pressed. */

import { h, signal } from "../../vendor/ui.js";
import { comparisonPage } from "../session/running.js";
import { comparison, source } from "../state/store.js";
import { say } from "../state/words.js";
import { Icon } from "./icons.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {ComparisonOnPage} from "../state/store.js" */

/** @type {Signal<ComparisonOnPage["page"] | null>} */
const page = signal(null);

/** Escape closes what it opens. */
export function Beside() {
  if (comparison.value !== null) return null;
  const look = {
    class: "button beside-button",
    type: "button",
    title: say("compare"),
    "aria-label": say("compare-word"),
    popovertarget: "beside",
    disabled: source.value.trim() === "",
  };
  const load = async () => (page.value ??= await comparisonPage());
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
      page.value === null ? null : h(page.value.Choices, null),
    ),
  ];
}
