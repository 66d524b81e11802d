/** Owns the code pane: the editor, and during a replay the same text with the marks of the step. */

import { h, useEffect, useLayoutEffect, useRef } from "../../../vendor/ui.js";
import { button } from "../buttons.js";
import { switchLive, typed } from "../../session/actions.js";
import { edit } from "../../session/run-replay.js";
import { boot } from "../../io/boot.js";
import { isFile } from "../../io/medium.js";
import { fileOf, sourceOf } from "../../run/places.js";
import { stopIndexOf } from "../../run/stops/stop-index.js";
import { Editor } from "./editor.js";
import {
  BreakpointButtons,
  CodeAnswer,
  CodeFoot,
  drawBeside,
  Fault,
  peekAt,
  peekAtLine,
  RecordingButton,
  values,
} from "./code-control.js";
import { NOTHING } from "./code-marks.js";
import { ExamplesButton } from "./examples-button.js";
import { hasValues, isLive, scale } from "../../state/preferences.js";
import { isAsking } from "../../state/prediction.js";
import { noteIsOpen } from "../../state/presenting.js";
import { runOrStop, stop } from "../../session/running.js";
import { breakpoints } from "../../state/breakpoints.js";
import { breakAt, chooseLine, chosenLine, lineOfKeys, toLine } from "../../state/code-cursor.js";
import {
  fault,
  goTo,
  isBusy,
  isOld,
  mode,
  played,
  replay,
  source,
  standIn,
  state,
  step,
} from "../../state/store.js";
import { listed, say } from "../../state/words.js";
import { Icon } from "../icons.js";
import { MaximiseButton } from "../maximise.js";
import { plain } from "../rich.js";

/** @import {Marks} from "./code-marks.js" */
/** @import {Span} from "../../run/trace.d.ts" */
/** @import {Index, State} from "../../run/types.d.ts" */

/** @type {Editor | null} */
let editor = null;

/** Focus the editor. */
export function focusEditor() {
  editor?.focus();
}

/**
 * Highlight lines of the shown run.
 * @param {number[]} lines
 */
export function highlightLines(lines) {
  editor?.highlight(mode.peek() === "replay" ? lines : []);
}

/**
 * The number of the code line that contains an element; null: none, or the code is being edited.
 * @param {Element} element
 */
export function lineAt(element) {
  return mode.peek() === "replay" ? (editor?.lineAt(element) ?? null) : null;
}

export function CodePane() {
  const host = useRef(/** @type {HTMLDivElement | null} */ (null));
  useEffect(() => {
    if (!host.current) return undefined;
    const mounted = new Editor(host.current, {
      text: source.peek(),
      onChange: (text) => mode.peek() === "edit" && text !== source.peek() && typed(text),
      onRun: runOrStop,
      onLeave: leave,
      onReplay: ACTIONS,
      onPlace: drawBeside,
    });
    editor = mounted;
    mounted.setText(currentText());
    becomes(mode.peek());
    return () => {
      if (editor === mounted) editor = null;
      mounted.destroy();
    };
  }, []);
  const replayed = mode.value === "replay" ? played.value : null;
  const file = replayed ? fileOf(state.value?.stop) : null;
  const text = replayed ? sourceOf(replayed.index, file).trimEnd() : source.value;
  // A layout effect, so that the next key already types into the new code. The text is read again here,
  // because a key may have changed it since the render.
  useLayoutEffect(() => editor?.setText(currentText()), [text]);
  useLayoutEffect(() => becomes(mode.value), [mode.value, say("code")]);
  useEffect(() => keepFocus(mode.value), [mode.value]); // runs after the buttons were rendered
  const marked = replayed ?? (isLive.value && !isOld.value ? played.value : null);
  const now = marked ? state.value : null;
  const found = mode.value === "edit" && fault.value?.source === text ? fault.value : null;
  const mark = () =>
    editor?.mark(
      found !== null
        ? faultMarks(found)
        : now && marked
          ? marksIn(marked.index, now, file !== null)
          : NOTHING,
      mode.value === "replay" || (found !== null && !isLive.value),
    );
  const held = useRef({ text: "", mode: "" });
  const isHeld = held.current.text === text && held.current.mode === mode.value;
  // Mark the code in a microtask after all other changes of a step. In a later task, the marks would appear
  // one frame late. Earlier, the browser would compute the layout twice, because the editor measures its
  // text when it is marked.
  useLayoutEffect(() => {
    if (isHeld) queueMicrotask(mark);
  }, [now, found, say("badge-ran"), isAsking.value]);
  useEffect(() => {
    held.current = { text, mode: mode.value };
    mark();
  }, [text, mode.value]);
  useEffect(() => editor?.measureAgain(), [scale.value, noteIsOpen.value]);
  const [lines, chosen] =
    file === null ? [replayed ? breakpoints.value : NONE, chosenLine.value] : [NONE, null];
  useEffect(() => editor?.choose({ lines, chosen }), [lines, chosen, text, mode.value]);
  useEffect(() => editor?.placeBadges(), [values.value, hasValues.value]);
  useEffect(() => peek(), [now, chosen, mode.value, values.value, say("code")]);
  return h(
    "section",
    {
      class: `pane code-pane ${mode.value}`,
      id: "code",
      "aria-labelledby": "code-title",
      onFocusIn: () => (isInPane = true),
      onFocusOut: (/** @type {FocusEvent} */ { relatedTarget }) => (isInPane = relatedTarget === null),
    },
    h(
      "div",
      { class: "pane-head" },
      h("h2", { id: "code-title" }, say("code")),
      file === null ? null : h("code", { class: "code-file" }, replayed?.index.files[file]?.path),
      h("span", { class: "spring" }),
      mode.value === "edit" && !isFile ? h(ExamplesButton, null) : null,
      isFile ? null : [h(StandInSwitch, null), h(LiveSwitch, null), h(RecordingButton, null)],
      h(BreakpointButtons, null),
      isFile ? null : h(Act, null),
      played.value === null ? null : h(MaximiseButton, { pane: "code" }),
    ),
    h("div", { class: `editor ${mode.value}`, ref: host }),
    h(CodeAnswer, null),
    h(Fault, null),
    h(CodeFoot, null),
    mode.value === "edit" && !isFile
      ? h(
          "p",
          { class: "imports packages" },
          say("imports", {
            packages: listed([say("standard-library"), ...boot.imports.map(([name]) => name)]),
          }),
        )
      : null,
    mode.value === "edit" && boot.gpu ? h("p", { class: "imports" }, say("gpu-pool")) : null,
  );
}

function currentText() {
  const replayed = mode.peek() === "replay" ? played.peek() : null;
  return replayed ? sourceOf(replayed.index, fileOf(state.peek()?.stop)).trimEnd() : source.peek();
}

/**
 * Whether the element that last had the focus is in the code pane, even if it was a button that no longer
 * exists.
 */
let isInPane = false;

/** @type {ReadonlySet<number>} */
const NONE = new Set();

/**
 * The position at which to place the cursor as soon as the code can be edited.
 * @type {{line: number, column: number} | null}
 */
let wanted = null;
/**
 * The step that was shown before the last click on a line. The first click of a double click goes to another
 * step; the second starts editing and returns to this step.
 * @type {number}
 */
let stepBefore = 0;

/** @type {import("./code-pointer.js").CodeActions} */
const ACTIONS = {
  onPick(line) {
    if (isElsewhere()) return;
    stepBefore = step.peek();
    chooseLine(null);
    toLine(line);
  },
  onBreak: (line) => isElsewhere() || breakAt(line),
  onEdit(line, column) {
    if (isElsewhere()) return;
    goTo(stepBefore);
    editAt(line, column);
  },
  onChoose(by) {
    if (isElsewhere()) return;
    const count = (played.peek()?.index.source ?? "").trimEnd().split("\n").length;
    chooseLine(Math.max(1, Math.min(count, lineOfKeys() + by)));
  },
  onEnter: () => isElsewhere() || editAt(lineOfKeys(), 0),
  onPoint(line, column) {
    pointed = { line, column };
    peek();
  },
  onLeave() {
    pointed = null;
    peek();
  },
};

/**
 * The place in the code under the mouse.
 * @type {{line: number, column: number} | null}
 */
let pointed = null;

/** Whether the pane shows another file than the snippet, which cannot be edited. */
function isElsewhere() {
  return mode.peek() === "replay" && fileOf(state.peek()?.stop) !== null;
}

/** Shows the value of the name at the mouse, or else the values in the selected line. */
function peek() {
  const isReplay = mode.peek() === "replay" && !isElsewhere();
  const place = isReplay && pointed !== null ? peekAt(pointed.line, pointed.column) : null;
  editor?.peek(isReplay ? (place ?? peekAtLine()) : null);
}

/**
 * Edit the code at a place.
 * @param {number} line
 * @param {number} column
 */
function editAt(line, column) {
  if (isFile) return;
  wanted = { line, column };
  edit();
}

/** Switch from the recording to the editor, at the selected line, or back. Leaves a comparison. */
export function switchEditing() {
  if (isFile || isBusy.peek() || replay.peek() === null) return;
  if (played.peek() === null) replay.peek()?.leave();
  else if (mode.peek() === "edit") {
    const isInCode = editor?.hasFocus === true;
    mode.value = "replay";
    if (!isInCode) requestAnimationFrame(focusEditor);
  } else editAt(lineOfKeys(), 0);
}

/**
 * Makes the code editable or read-only.
 * @param {"edit" | "replay"} now
 */
function becomes(now) {
  editor?.setEditable(now === "edit" && !isFile, say("code"));
  if (now === "edit" && wanted !== null) editor?.placeCursor(wanted.line, wanted.column);
  wanted = null;
}

/**
 * Gives the focus to the code if the focused button disappeared, so that keyboard shortcuts of the code keep
 * working.
 * @param {"edit" | "replay"} now
 */
function keepFocus(now) {
  if (now === "replay" && isInPane && document.activeElement === document.body) focusEditor();
}

/** Escape in the editor stops the run, or else leaves the editor. The shown run stays. */
function leave() {
  if (isBusy.peek()) return stop();
  const act = document.querySelector(".code-pane .primary:enabled");
  editor?.leaveTo(/** @type {HTMLElement} */ (act ?? document.querySelector(".code-pane .live")));
}

/** Matches code that names an accelerator. */
const NAMES_GPU = /\bcuda\b|\baccelerator\b/;

/** The switch that lets the CPU stand in for a GPU. The switch is shown if the code names an accelerator. */
function StandInSwitch() {
  if (mode.value !== "edit" || isBusy.value) return null;
  if (!standIn.value && !NAMES_GPU.test(source.value)) return null;
  const look = {
    class: "button stand-in",
    type: "button",
    title: say("stand-in-hint"),
    "aria-label": say("stand-in"),
    "aria-pressed": standIn.value ? "true" : "false",
  };
  return h(
    "button",
    { ...look, onClick: () => (standIn.value = !standIn.value) },
    h(Icon, { name: "chip", size: 16 }),
    h("span", null, say("stand-in")),
  );
}

/** The switch for running the code as it is typed, which is off by default. */
function LiveSwitch() {
  if (mode.value !== "edit") return null;
  return button(
    {
      class: "button live",
      title: say("live-hint"),
      "aria-label": say("live"),
      "aria-pressed": isLive.value ? "true" : "false",
      onClick: switchLive,
    },
    h(Icon, { name: "bolt", size: 16 }),
    h("span", null, say("live")),
  );
}

/**
 * The main button of the code pane: Run, Stop or Edit. Run and Stop are the same element, so that the button
 * keeps the focus when it changes.
 */
function Act() {
  if (mode.value === "replay" && !isBusy.value) {
    const toEdit = () => editAt(lineOfKeys(), 0);
    return button(
      { class: "button act", onClick: toEdit, key: "edit" },
      h(Icon, { name: "edit", size: 16 }),
      say("edit"),
    );
  }
  const [name, key] = isBusy.value ? ["stop", "Esc"] : ["run", "Ctrl+Enter"];
  const isEmpty = !isBusy.value && source.value.trim() === "";
  return button(
    { class: `button act primary ${name}`, disabled: isEmpty, onClick: runOrStop, key: "run", title: key },
    h(Icon, { name: name === "run" ? "play" : "stop", size: 16 }),
    say(name),
  );
}

/**
 * The marks in the code for an error, such as a syntax error, that prevents its run.
 * @param {NonNullable<typeof fault.value>} found
 * @returns {Marks}
 */
function faultMarks({ line, note }) {
  if (line === null) return NOTHING;
  return {
    ...NOTHING,
    now: { line, end_line: line, look: "raised", badge: "", note: plain(note) },
    flags: new Map([[line, { title: plain(note), isHint: false }]]),
  };
}

/**
 * The marks of a step in the shown code.
 * @param {Index} index
 * @param {State} now
 * @param {boolean} isFileShown whether the shown text is the step's file, not the run's own source
 * @returns {Marks}
 */
function marksIn(index, now, isFileShown) {
  const marks = marksOf(index, now);
  const { span } = now.stop;
  if (!isFileShown || span === null || marks.now === null) return marks;
  const { line, end_line } = span;
  return { ...marks, ran: new Set(), next: null, flags: new Map(), now: { ...marks.now, line, end_line } };
}

/**
 * The marks of a step in the code of its file.
 * @param {Index} index
 * @param {State} now
 * @returns {Marks}
 */
export function marksOf(index, now) {
  const { stop: current, k } = now;
  const { reached, findings } = stopIndexOf(index);
  const ran = new Set([...reached].filter(([, first]) => first <= k).map(([line]) => line));
  const look =
    current.kind === "exception"
      ? "raised"
      : current.kind === "node" || current.kind === "operator" || current.step.ended === undefined
        ? "running"
        : "ran";
  const next = index.stops[k + 1];
  const statement = current.kind === "node" ? index.steps[current.statement] : current.step;
  const origin = index.steps[index.nodes[current.node ?? -1]?.made_by ?? -1]?.span ?? null;
  const isHere = (/** @type {Span | null | undefined} */ span) => (span?.file ?? null) === fileOf(current);
  /** @type {Marks["flags"]} */
  const flags = new Map();
  for (const [first, stopFindings] of findings) {
    // While a question is open, no findings are marked: the marks would reveal the line that it asks for.
    for (const { line, file, kind, severity, arguments: args } of first <= k && !isAsking.value
      ? stopFindings
      : []) {
      const isHint = severity === "hint";
      if (line != null && file == null && !(isHint && flags.has(line)))
        flags.set(line, { title: plain(say(`finding-${kind}-title`, args)), isHint });
    }
  }
  return {
    ran,
    now: { line: current.line, end_line: current.end_line, look, badge: say(`badge-${look}`) },
    next:
      next && next.line > 0 && next.line !== current.line
        ? { line: next.line, badge: say("badge-next") }
        : null,
    span: isHere(statement?.span) ? (statement?.span ?? null) : null,
    isPart: current.kind === "operator",
    origin: isHere(origin) ? origin : null,
    flags,
    others: new Set(),
  };
}
