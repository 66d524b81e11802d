/**
 * Owns controls in the pane of the code: the values of names, the text that answers a click on a line, the
 * buttons for breakpoints, and the button that returns to the recording.
 */

import { isFile } from "../../io/medium.js";
import { effect, h, signal } from "../../../vendor/ui.js";
import { button, iconButton } from "../buttons.js";
import { linesOf } from "../../run/legible.js";
import { fileOf } from "../../run/places.js";
import { breakpointFrom, breakpoints } from "../../state/breakpoints.js";
import { answer, chosenLine, runTo } from "../../state/code-cursor.js";
import { hasValues } from "../../state/preferences.js";
import { fault, isBusy, isOld, mode, played, source, state, status } from "../../state/store.js";
import { say } from "../../state/words.js";
import { withChunk } from "../chunks.js";
import { Icon } from "../icons.js";
import { rich } from "../rich.js";

/** @import {EditorView} from "../../../vendor/codemirror.js" */
/** @import {Beside, CodeChunk} from "../chunks.js" */

/**
 * The chunk that shows values in the code; null until it is loaded with the first run.
 * @type {import("../../../vendor/ui.js").Signal<CodeChunk | null>}
 */
export const values = signal(null);

/** @type {Beside | null} */
let beside = null;

/** @type {ReadonlySet<number>} */
const NO_LINES = new Set();

/**
 * Draws the values next to the lines of a recording, and returns the lines that have values.
 * @param {EditorView} view
 */
export function drawBeside(view) {
  const isShown = hasValues.peek() && mode.peek() === "replay" && fileOf(state.peek()?.stop) === null;
  return beside?.draw(view, isShown ? (played.peek()?.index ?? null) : null, state.peek()) ?? NO_LINES;
}

effect(() => {
  if (played.value === null || values.peek() !== null) return;
  withChunk("code", (loaded) => {
    beside = loaded.besideLines();
    values.value = loaded;
  });
});

/**
 * The value of the name at a place in the code.
 * @param {number} line
 * @param {number} column
 */
export function peekAt(line, column) {
  const [index, now] = [played.peek()?.index, state.peek()];
  if (index === undefined || now === null) return null;
  return values.peek()?.valueAtPlace(index, now, line, column) ?? null;
}

/** The values of all names in the selected line at the current step; null: none is known. */
export function peekAtLine() {
  const [index, now, line] = [played.value?.index, state.value, chosenLine.value];
  if (index === undefined || now === null || line === null) return null;
  return values.value?.valuesOnLine(index, now, line) ?? null;
}

/** The text below the code that answers a key or click in it, and the selected line for screen readers. */
export function CodeAnswer() {
  const index = played.value?.index;
  const line = chosenLine.value;
  const told = mode.value === "replay" ? answer.value : null;
  const spoken =
    index === undefined || line === null
      ? ""
      : [
          say("line", { line }),
          linesOf(index, line),
          breakpoints.value.has(line) ? say("breakpoint") : "",
          ...(peekAtLine()?.rows ?? []).map(({ name, text }) => `${name}: ${text}`),
        ].join(". ");
  return [
    h(
      "p",
      { key: "told", class: `code-answer${told === null ? " none" : ""}`, role: "status" },
      told === null ? "" : rich(say(told.id, told.args)),
    ),
    h("p", { key: "spoken", class: "visually-hidden", "aria-live": "polite" }, spoken),
  ];
}

/**
 * The error, such as a syntax error, that prevents a run of the code in the editor. While code is run as it
 * is typed, a notice shows this error instead.
 */
export function Fault() {
  const found = fault.value;
  if (mode.value !== "edit" || found === null || found.source !== source.value) return null;
  if (status.value.kind === "noted") return null;
  return h("p", { class: "fault", role: "alert" }, rich(say(found.id, found.args)));
}

/**
 * The note below the code: during a replay, that the code was edited since the run; in the editor, which
 * keys leave it.
 */
export function CodeFoot() {
  if (mode.value === "replay")
    return isOld.value ? h("p", { class: "code-foot" }, say("recording-old")) : null;
  return isFile ? null : h("p", { class: "code-foot keys-of-editor" }, say("editor-keys"));
}

/** The buttons to the previous and next breakpoint. */
export function BreakpointButtons() {
  if (mode.value !== "replay" || isBusy.value || breakpoints.value.size === 0) return null;
  const way = (/** @type {-1 | 1} */ direction, /** @type {string} */ id) =>
    button(
      {
        class: "button icon-only to-breakpoint",
        title: say(id),
        "aria-label": say(id),
        "aria-disabled": breakpointFrom(direction) === undefined ? "true" : undefined,
        onClick: () => runTo(direction),
      },
      h("span", { class: "breakpoint-sign", "aria-hidden": "true" }),
      h(Icon, { name: direction === 1 ? "next" : "previous", size: 14 }),
    );
  return [way(-1, "breakpoint-previous"), way(1, "breakpoint-next")];
}

/** The button back to the recording while code is edited. */
export function RecordingButton() {
  if (mode.value !== "edit" || played.value === null || isBusy.value) return null;
  return iconButton("back", say("recording"), {
    class: "button icon-only to-recording",
    onClick: () => (mode.value = "replay"),
  });
}
