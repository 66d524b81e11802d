/** Owns the output of the snippet up to a step: stdout, stderr and warnings, as plain text. */

import { h, useEffect, useRef, useState } from "../../vendor/ui.js";
import { isNative } from "../run/format.js";
import { played, state } from "../state/store.js";
import { say } from "../state/words.js";

/** @import {Output} from "../run/trace.d.ts" */

/** The most characters that are shown unasked: the last ones, as in a terminal. */
const MOST_SHOWN = 8000;

/** @param {{label: string}} props the id of the element that labels it */
export function Output({ label }) {
  const run = played.value?.index.steps;
  const now = state.value;
  const total = played.value?.index.outputs.length ?? 0;
  const shown = now?.outputs ?? [];
  const body = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [whole, showWhole] = useState(/** @type {unknown} */ (null));
  useEffect(() => {
    if (body.current) body.current.scrollTop = body.current.scrollHeight;
  }, [shown.length]);
  const count = shown.reduce((sum, { text }) => sum + text.length, 0);
  const isWhole = count <= MOST_SHOWN || whole === run;
  return h(
    "div",
    { class: "output", ref: body, tabIndex: 0, role: "group", "aria-labelledby": label },
    isWhole
      ? null
      : h(
          "button",
          { class: "link earlier", type: "button", onClick: () => showWhole(run) },
          say("output-earlier", { count }),
        ),
    shown.length === 0
      ? h("span", { class: "nothing" }, say(total === 0 ? "output-none" : "output-nothing"))
      : h("pre", null, joined(isWhole ? shown : lastOf(shown)).map(written)),
  );
}

/**
 * The last outputs, whole but for the first.
 * @param {Output[]} shown
 */
function lastOf(shown) {
  /** @type {Output[]} */
  const last = [];
  let room = MOST_SHOWN;
  for (let place = shown.length - 1; place >= 0 && room > 0; place -= 1) {
    const output = /** @type {Output} */ (shown[place]);
    last.unshift(output.text.length <= room ? output : { ...output, text: `…${output.text.slice(-room)}` });
    room -= output.text.length;
  }
  return last;
}

/**
 * What was written to one stream in a row is one text.
 * @param {Output[]} outputs
 */
function joined(outputs) {
  /** @type {(Output & {texts: string[]})[]} */
  const runs = [];
  for (const output of outputs) {
    const last = runs.at(-1);
    if (last?.stream === output.stream && last.category === output.category && output.stream !== "warning")
      last.texts.push(output.text);
    else runs.push({ ...output, texts: [output.text] });
  }
  return runs.map(({ texts, ...output }) => ({ ...output, text: texts.join("") }));
}

/** @param {Output} output */
function written(output) {
  const { id, stream, text, category, line } = output;
  if (isNative(output)) return h("span", { key: id }, h("em", null, `${say("story-native-output")}\n`), text);
  if (stream !== "warning") return h("span", { key: id, class: stream }, text);
  return h(
    "span",
    { key: id, class: "warning" },
    `${category ?? "Warning"}${line ? ` (${say("line", { line })})` : ""}: ${text}\n`,
  );
}
