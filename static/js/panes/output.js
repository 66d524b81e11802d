/** Owns what the snippet has put out up to a step: stdout, stderr and warnings, as text and nothing else. */

import { h, useEffect, useRef } from "../../vendor/ui.js";
import { played, state } from "../store.js";
import { say } from "../words.js";

export function OutputPane() {
  const now = state.value;
  const total = played.value?.index.outputs.length ?? 0;
  const shown = now?.outputs ?? [];
  const body = useRef(/** @type {HTMLDivElement | null} */ (null));
  useEffect(() => {
    if (body.current) body.current.scrollTop = body.current.scrollHeight;
  }, [shown.length]);
  if (total === 0) return null;
  const lines = shown.map((output) =>
    output.stream === "warning"
      ? h("span", { key: output.id, class: "warning" }, `${output.category ?? "Warning"}${output.line ? ` (${say("line", { line: output.line })})` : ""}: ${output.text}\n`)
      : h("span", { key: output.id, class: output.stream }, output.text),
  );
  return h(
    "section",
    { class: "pane output-pane", "aria-labelledby": "output-title" },
    h("div", { class: "pane-head" }, h("h2", { id: "output-title" }, say("output"))),
    h("div", { class: "output", ref: body, tabIndex: 0, role: "group", "aria-labelledby": "output-title" }, shown.length === 0 ? h("span", { class: "nothing" }, say("output-nothing")) : h("pre", null, lines)),
  );
}
