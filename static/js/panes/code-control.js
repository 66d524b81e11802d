/**
 * Owns the controls of the code: the values that names have, what the page answers to a click on a line, the
 * buttons of breakpoints, and the way between the recording and the editor.
 */

import { h } from "../../vendor/ui.js";
import { namesOf, valueAt } from "../run/code-names.js";
import { shapeOf, shortDtype } from "../run/format.js";
import { linesOf } from "../run/legible.js";
import { shown } from "../run/shown.js";
import { breakpointFrom, breakpoints } from "../state/breakpoints.js";
import { answer, chosenLine, runTo } from "../state/code-cursor.js";
import { fault, isBusy, isOld, mode, played, source, state } from "../state/store.js";
import { say } from "../state/words.js";
import { Icon } from "./icons.js";
import { plain, rich } from "./rich.js";
import { textOf } from "./variables.js";

/** @import {Place, Value} from "../run/code-names.js" */
/** @import {Index, State} from "../run/types.d.ts" */

/** The most characters of a value. */
const MOST = 60;

/**
 * A value as the page writes it beside a name: shape, dtype, storage, version, and the elements if they are
 * few.
 * @param {State} now
 * @param {Value} value
 */
function textOfValue(now, value) {
  if (value.kind === "unbound" || value.kind === "inactive") return say(`value-${value.kind}`);
  if (value.kind === "held") return `${textOf(value.held)} (${value.held.type})`;
  const tensor = now.tensors.get(value.tensor);
  const geometry = tensor?.geometry ?? null;
  if (tensor === undefined || geometry === null) return say("value-unbound");
  const { storage, dtype } = geometry;
  const shape = shapeOf(geometry);
  const elements = shown(geometry, now.storages.get(storage ?? -1)?.contents, MOST);
  return [
    shape,
    shortDtype(dtype),
    storage === null ? null : `S${storage}`,
    typeof tensor.version === "number" ? `v${tensor.version}` : null,
    elements === null || elements === shape ? null : elements,
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

/**
 * What is known of places in the code at a step, each name once.
 * @param {Index} index
 * @param {State} now
 * @param {Place[]} places
 */
function rowsOf(index, now, places) {
  const rows = new Map();
  for (const place of places) {
    const value = rows.has(place.path) ? null : valueAt(index, now, place);
    if (value !== null) rows.set(place.path, { name: plain(place.path), text: textOfValue(now, value) });
  }
  return [...rows.values()];
}

/**
 * The value of the name at a place in the code.
 * @param {number} line
 * @param {number} column
 */
export function peekAt(line, column) {
  const [index, now] = [played.peek()?.index, state.peek()];
  if (index === undefined || now === null) return null;
  const place = namesOf(index)
    .get(line)
    ?.find(({ from, to }) => from <= column && column < to);
  const rows = place === undefined ? [] : rowsOf(index, now, [place]);
  return place === undefined || rows.length === 0 ? null : { line, column: place.from, rows };
}

/** The values of all names of the chosen line. */
export function peekAtLine() {
  const [index, now, line] = [played.value?.index, state.value, chosenLine.value];
  if (index === undefined || now === null || line === null) return null;
  const places = namesOf(index).get(line) ?? [];
  const rows = rowsOf(index, now, places);
  return rows.length === 0 ? null : { line, column: places[0]?.from ?? 0, rows };
}

/** What keys and clicks in the code are answered, over its foot; and a chosen line for those who hear it. */
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

/** What kept the text in the editor from running at all. */
export function Fault() {
  const found = fault.value;
  if (mode.value !== "edit" || found === null || found.source !== source.value) return null;
  return h("p", { class: "fault", role: "alert" }, rich(say(found.id, found.args)));
}

/** That the recording is of other code than the editor holds, and how the editor is left by keys. */
export function CodeFoot() {
  if (mode.value === "replay") return isOld.value ? h("p", { class: "imports" }, say("recording-old")) : null;
  return h("p", { class: "imports keys-of-editor" }, say("editor-keys"));
}

/** From breakpoint to breakpoint. */
export function BreakpointButtons() {
  if (mode.value !== "replay" || isBusy.value || breakpoints.value.size === 0) return null;
  const button = (/** @type {-1 | 1} */ direction, /** @type {string} */ id) =>
    h(
      "button",
      {
        class: "button icon-only to-breakpoint",
        type: "button",
        title: say(id),
        "aria-label": say(id),
        "aria-disabled": breakpointFrom(direction) === undefined ? "true" : undefined,
        onClick: () => runTo(direction),
      },
      h("span", { class: "breakpoint-sign", "aria-hidden": "true" }),
      h(Icon, { name: direction === 1 ? "next" : "previous", size: 14 }),
    );
  return [button(-1, "breakpoint-previous"), button(1, "breakpoint-next")];
}

/** Back to the recording that is still there. */
export function RecordingButton() {
  if (mode.value !== "edit" || played.value === null || isBusy.value) return null;
  return h(
    "button",
    {
      class: "button icon-only to-recording",
      type: "button",
      title: say("recording"),
      "aria-label": say("recording"),
      onClick: () => (mode.value = "replay"),
    },
    h(Icon, { name: "back", size: 16 }),
  );
}
