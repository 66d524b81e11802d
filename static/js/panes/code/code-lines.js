/**
 * Shows the code of a recording as a list of lines, in embedded frames and lectures. Marks the line that
 * just ran and the next line.
 */

import { h, useLayoutEffect, useRef } from "../../../vendor/ui.js";
import { legible } from "../../run/legible.js";
import { perTrace } from "../../run/per-run.js";
import { fileOf, sourceOf } from "../../run/places.js";
import { stopIndexOf } from "../../run/stops/stop-index.js";
import { say } from "../../state/words.js";

/** @import {Index, State} from "../../run/types.d.ts" */

/** The maximum number of characters of a line that are shown. */
const MOST = 300;

/** The lines of a source file in a run, or of the snippet if no file is given. */
const linesOfRun = perTrace((index) => {
  /** @type {Map<number | null, string[]>} */
  const known = new Map();
  return (/** @type {number | null} */ file) => {
    const lines = known.get(file) ?? linesOf(sourceOf(index, file));
    known.set(file, lines);
    return lines;
  };
});

/** @param {string} text */
function linesOf(text) {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => legible(line.length > MOST ? `${line.slice(0, MOST)}…` : line));
}

/** @param {{index: Index, now: State | null, label?: string}} props */
export function Listing({ index, now, label = say("code") }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => showLine(list.current), [now]);
  const file = fileOf(now?.stop);
  const following = now === null ? undefined : index.stops[now.k + 1];
  const next = fileOf(following) === file ? following?.span?.line : undefined;
  const { line: from = 1, end_line: to = 1 } = now?.stop.span ?? {};
  return h(
    "section",
    { class: "pane embed-code", "aria-label": label, tabIndex: 0, ref: list },
    file === null ? null : h("p", { class: "code-file" }, index.files[file]?.path),
    h(
      "ol",
      null,
      linesOfRun(index)(file).map((text, place) => {
        const line = place + 1;
        const isNow = now !== null && line >= from && line <= to;
        const looks = [
          isNow ? (now.stop.kind === "exception" ? "now raised" : "now") : "",
          line === next && !isNow ? "next" : "",
          now !== null && file === null && (stopIndexOf(index).reached.get(line) ?? Infinity) <= now.k
            ? "ran"
            : "",
        ];
        return h(
          "li",
          { class: looks.filter(Boolean).join(" ") || undefined, "aria-current": isNow ? "step" : undefined },
          h("code", null, text === "" ? " " : text),
        );
      }),
    ),
  );
}

/**
 * Scroll the code, and not the page, to the line that just ran.
 * @param {HTMLElement | null} list
 */
function showLine(list) {
  const line = list?.querySelector(".now");
  if (!list || !line) return;
  const [around, at] = [list.getBoundingClientRect(), line.getBoundingClientRect()];
  if (at.top < around.top || at.bottom > around.bottom)
    list.scrollTop += at.top - around.top - (around.height - at.height) / 2;
}
