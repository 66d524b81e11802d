/**
 * Owns the code of one of two compared runs. The code is read-only. Marks show the line of the current step
 * and the lines that differ from the other run.
 */

import { h, useEffect, useRef } from "../../../vendor/ui.js";
import { Editor } from "../../panes/code/editor.js";
import { NOTHING } from "../../panes/code/code-marks.js";
import { scale } from "../../state/preferences.js";
import { say } from "../../state/words.js";
import { marksOf } from "../../panes/code/code.js";

/** @import {Marks} from "../../panes/code/code-marks.js" */
/** @import {Index, State} from "../../run/types.d.ts" */

/**
 * @param {{index: Index, now: State | null, waits: boolean, others: Set<number>, label: string}} props
 *   `waits`: the run does not advance in this step; `label`: the accessible name of the listing
 */
export function Listing({ index, now, waits, others, label }) {
  const host = useRef(/** @type {HTMLDivElement | null} */ (null));
  const editor = useRef(/** @type {Editor | null} */ (null));
  const text = index.source.trimEnd();
  useEffect(() => {
    if (!host.current) return undefined;
    const mounted = new Editor(host.current, {
      text,
      onChange: () => {},
      onRun: () => {},
      onLeave: () => {},
    });
    editor.current = mounted;
    return () => mounted.destroy();
  }, []);
  useEffect(() => editor.current?.setText(text), [text]);
  useEffect(() => editor.current?.setEditable(false, label), [label]);
  useEffect(
    () => editor.current?.mark({ ...(now === null ? NOTHING : marksAt(index, now, waits)), others }, true),
    [now, text, others, scale.value, say("badge-ran")],
  );
  return h("div", { class: "editor replay", ref: host });
}

/**
 * @param {Index} index
 * @param {State} now
 * @param {boolean} waits
 * @returns {Marks}
 */
function marksAt(index, now, waits) {
  const marks = marksOf(index, now);
  if (!waits || marks.now === null) return marks;
  const isOver = now.is_last;
  return {
    ...marks,
    span: null,
    origin: null,
    now:
      isOver && marks.now.look === "raised"
        ? marks.now
        : { ...marks.now, look: "waits", badge: say(isOver ? "badge-over" : "badge-waits") },
  };
}
