/** Owns the help: the keys, and how to read the pictures. */

import { h, useEffect, useRef } from "../../vendor/ui.js";
import { helpIsOpen } from "../store.js";
import { say } from "../words.js";
import { Icon } from "./icons.js";
import { rich } from "./rich.js";

/** @type {[string, string][]} */
const KEYS = [
  [". →", "key-next"],
  [", ←", "key-previous"],
  ["Shift+. Shift+,", "key-line"],
  ["g", "key-walk"],
  ["Home End", "key-ends"],
  ["PageUp PageDown", "key-ten"],
  ["Space", "key-play"],
  ["w", "key-warning"],
  ["i", "key-round"],
  ["] [", "key-change"],
  ["↑ ↓ ← →", "key-choose"],
  ["+ - 0", "key-zoom"],
  ["t", "key-text"],
  ["p", "key-presenting"],
  ["Ctrl+Enter", "key-run"],
  ["Esc", "key-leave"],
];

export function Help() {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    if (helpIsOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [helpIsOpen.value]);
  return h(
    "dialog",
    { class: "sheet help", ref: dialog, "aria-labelledby": "help-title", onClose: () => (helpIsOpen.value = false) },
    h("div", { class: "pane-head" }, h("h2", { id: "help-title" }, say("help")), h("span", { class: "spring" }), h("button", { class: "button icon-only", type: "button", "aria-label": say("close"), onClick: () => (helpIsOpen.value = false) }, h(Icon, { name: "cross", size: 16 }))),
    ["help-graph", "help-memory", "help-steps"].map((id) => h("p", { key: id }, rich(say(id)))),
    h("h3", null, say("keys")),
    h("dl", { class: "keys" }, KEYS.map(([keys, id]) => [h("dt", { key: keys }, keys.split(" ").map((key) => h("kbd", { key }, key))), h("dd", { key: id }, say(id))])),
  );
}
