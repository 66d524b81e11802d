/** Owns the switch that says how far one press goes: by line, by Node, by operator. */

import { h } from "../../vendor/ui.js";
import { walk, walkBy } from "../store.js";
import { WALKS } from "../walk.js";
import { say } from "../words.js";

export function WalkSwitch() {
  return h(
    "div",
    { class: "switch walk", role: "group", "aria-label": say("walk") },
    WALKS.map((own) => h("button", { key: own, type: "button", title: say(`walk-${own}-means`), "aria-pressed": walk.value === own ? "true" : "false", onClick: () => walkBy(own) }, say(`walk-${own}`))),
  );
}
