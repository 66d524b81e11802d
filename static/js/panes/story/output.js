/** Owns the output of the snippet up to a step: stdout, stderr and warnings, as plain text. */

import { h, useEffect, useRef, useState } from "../../../vendor/ui.js";
import { button } from "../buttons.js";
import { isNative } from "../../run/values/format.js";
import { perRun } from "../../run/per-run.js";
import { pointersIn } from "../../io/step-sentences.js";
import { select } from "../../state/selection.js";
import { isHidden } from "../../state/prediction.js";
import { goTo, played, state } from "../../state/store.js";
import { say, tell } from "../../state/words.js";
import { plain } from "../rich.js";

/** @import {VNode} from "../../../vendor/ui.js" */
/** @import {Pointer} from "../../run/naming/pointers.js" */
/** @import {Output} from "../../run/trace.d.ts" */
/** @import {Index} from "../../run/types.d.ts" */
/** @typedef {{text: string, pointers: Pointer[]}} Piece of the output, and the addresses in it */

/**
 * The maximum number of characters of output that are shown at first. Like a terminal, the pane shows the
 * last ones.
 */
const MOST_SHOWN = 8000;

/** @param {{label: string}} props the id of the element that labels the pane */
export function Output({ label }) {
  const index = played.value?.index;
  const run = index?.steps;
  const now = state.value;
  const shown = now?.outputs ?? [];
  const body = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [whole, showWhole] = useState(/** @type {unknown} */ (null));
  useEffect(() => {
    if (body.current && shown.length > 0) body.current.scrollTop = body.current.scrollHeight;
  }, [shown.length]);
  const count = shown.reduce((sum, { text }) => sum + text.length, 0);
  const isWhole = count <= MOST_SHOWN || whole === run;
  return h(
    "div",
    { class: "output", ref: body, tabIndex: 0, role: "group", "aria-labelledby": label },
    isWhole
      ? null
      : button({ class: "link earlier", onClick: () => showWhole(run) }, say("output-earlier", { count })),
    shown.length === 0
      ? h(Nothing, { index })
      : h("pre", null, joined(index, isWhole ? shown : lastOf(shown)).map(written)),
  );
}

/**
 * The note that the snippet has printed nothing yet, with a button to the first step that prints. In
 * prediction mode this note has no button.
 * @param {{index: Index | undefined}} props
 */
function Nothing({ index }) {
  const first = index?.outputs[0];
  const at = first === undefined ? -1 : (index?.stops.findIndex(({ tick }) => tick >= first.tick) ?? -1);
  return [
    h(
      "span",
      { class: "nothing", key: "words" },
      say(first === undefined ? "output-none" : "output-nothing"),
      " ",
    ),
    at < 0 || isHidden.value
      ? null
      : button(
          { class: "link", key: "first", onClick: () => goTo(at) },
          say("output-first", { step: at + 1 }),
        ),
  ];
}

/**
 * The last outputs, with at most MOST_SHOWN characters in total. The first of them may be cut at its
 * beginning.
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
 * Joins consecutive outputs to the same stream into one text.
 * @param {Index | undefined} index
 * @param {Output[]} outputs
 */
function joined(index, outputs) {
  /** @type {(Output & {pieces: Piece[]})[]} */
  const runs = [];
  const pointersOf = index === undefined ? () => [] : pointersByOutput(index);
  for (const output of outputs) {
    const last = runs.at(-1);
    const piece = { text: output.text, pointers: output.stream === "warning" ? [] : pointersOf(output) };
    if (last?.stream === output.stream && last.category === output.category && output.stream !== "warning")
      last.pieces.push(piece);
    else runs.push({ ...output, pieces: [piece] });
  }
  return runs;
}

/** The memory addresses in the text of each output, which are searched only once. */
const pointersByOutput = perRun((/** @type {Index} */ index) =>
  perRun((/** @type {Output} */ { text, tick }) => pointersIn(index, text, tick)),
);

/** @param {Output & {pieces: Piece[]}} output */
function written(output) {
  const { id, stream, text, category, line, pieces } = output;
  if (isNative(output))
    return h("span", { key: id }, h("em", null, `${say("story-native-output")}\n`), withPointers(pieces));
  if (stream !== "warning") return h("span", { key: id, class: stream }, withPointers(pieces));
  return h(
    "span",
    { key: id, class: "warning" },
    `${category ?? "Warning"}${line ? ` (${say("line", { line })})` : ""}: ${text}\n`,
  );
}

/**
 * The text with each address as a button that selects its object.
 * @param {Piece[]} pieces
 */
function withPointers(pieces) {
  /** @type {(string | VNode)[]} */
  const shown = [];
  let plainText = "";
  for (const [place, { text, pointers }] of pieces.entries()) {
    let from = 0;
    for (const pointer of pointers) {
      shown.push(plainText + text.slice(from, pointer.from));
      shown.push(
        h(Address, { key: `${place} ${pointer.from}`, pointer, text: text.slice(pointer.from, pointer.to) }),
      );
      [plainText, from] = ["", pointer.to];
    }
    plainText += text.slice(from);
  }
  return [...shown, plainText];
}

/** @param {{pointer: Pointer, text: string}} props */
function Address({ pointer: { tensor, storage, told }, text }) {
  const means = plain(tell(told));
  return button(
    {
      class: "address",
      title: means,
      "aria-label": means,
      ...(tensor === null ? { "data-storage": storage } : { "data-tensor": tensor }),
      onClick: () =>
        select(tensor === null ? { kind: "storage", id: storage ?? 0 } : { kind: "tensor", id: tensor }),
    },
    text,
  );
}
