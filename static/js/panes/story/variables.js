/**
 * Owns the pane of calls and variables. The pane shows the snippet's active frames side by side, the
 * innermost last, with the values of their variables.
 */

import { h, useEffect, useRef } from "../../../vendor/ui.js";
import { button } from "../buttons.js";
import { callsAt, depthOf } from "../../run/stops/calls.js";
import { select, selected } from "../../state/selection.js";
import { lastOf, shapeOf } from "../../run/values/format.js";
import { played, state } from "../../state/store.js";
import { say } from "../../state/words.js";
import { plain } from "../rich.js";

/** @import {Call, Entry} from "../../run/stops/calls.js" */
/** @import {Held} from "../../run/trace.d.ts" */
/** @import {Index, State} from "../../run/types.d.ts" */

/**
 * The number of variables that this step bound.
 * @param {Index} index
 * @param {State} now
 */
export function changeCount(index, now) {
  return callsAt(index, now).reduce(
    (sum, { entries }) => sum + entries.filter((entry) => entry.change !== null).length,
    0,
  );
}

/** @param {{label: string}} props the id of the element that labels the pane */
export function Variables({ label }) {
  const [index, now] = [played.value?.index, state.value];
  const body = useRef(/** @type {HTMLDivElement | null} */ (null));
  const calls = index === undefined || now === null ? [] : callsAt(index, now);
  useEffect(
    () =>
      (body.current?.querySelector(".innermost .fresh") ?? body.current?.lastElementChild)?.scrollIntoView({
        block: "nearest",
        inline: "nearest",
      }),
    [now],
  );
  if (index === undefined || now === null) return null;
  return h(
    "div",
    {
      class: "calls",
      ref: body,
      tabIndex: 0,
      role: "group",
      "aria-labelledby": label,
      style: { "--depth": Math.min(depthOf(index), 4) },
    },
    calls.map((call, place) => [
      call.omitted === 0
        ? null
        : h("p", { key: "omitted", class: "nothing" }, say("frames-omitted", { count: call.omitted })),
      h(Frame, { key: call.frame, call, isInnermost: place === calls.length - 1, now }),
    ]),
  );
}

/**
 * The name of a frame's function.
 * @param {Call} call
 */
function titleOf(call) {
  return call.frame === 0 ? say("frame-module") : plain(call.function);
}

/** @param {Call} call */
function placeOf({ line, call, calls }) {
  return calls > 1
    ? `${say("line", { line })} · ${say("frame-call", { call, calls })}`
    : say("line", { line });
}

/** @param {{call: Call, isInnermost: boolean, now: State}} props */
function Frame({ call, isInnermost, now }) {
  return h(
    "section",
    { class: `frame${isInnermost ? " innermost" : ""}` },
    h(
      "h3",
      null,
      h("b", null, titleOf(call)),
      " ",
      h("span", null, placeOf(call)),
      isInnermost && call.frame !== 0
        ? h("span", { class: "visually-hidden" }, ` ${say("frame-innermost")}`)
        : null,
    ),
    call.entries.length === 0
      ? h("p", { class: "nothing" }, say("variables-none"))
      : h(
          "ul",
          null,
          call.entries.map((entry) => h(Row, { key: entry.path, entry, now })),
        ),
    call.hidden === 0 ? null : h("p", { class: "nothing" }, say("variables-more", { count: call.hidden })),
  );
}

/**
 * A path of attributes and indices, such as `model.blocks[0]`. If the whole path does not fit, only its last
 * part is visible.
 * @param {string} path
 */
function pathShown(path) {
  const end = lastOf(path);
  const begin = end === path ? path : path.slice(0, path.length - end.length);
  return [
    h("span", { class: "path-begin" }, begin),
    begin === path ? null : h("span", { class: "path-end" }, end),
  ];
}

/**
 * When a variable whose path is cut gets the focus, shows the whole path next to it, as a tooltip does at
 * the mouse.
 * @param {HTMLElement} chip
 * @param {string} path
 */
function tellWhole(chip, path) {
  const isCut = [chip, ...chip.children].some((part) => part.scrollWidth > part.clientWidth);
  chip.style.setProperty("--at", `${chip.getBoundingClientRect().left}px`);
  if (isCut) chip.dataset.whole = path;
  else delete chip.dataset.whole;
}

/** @param {{entry: Entry, now: State}} props */
function Row({ entry, now }) {
  const { path, change, was, tensor, name, held } = entry;
  const value = shownValue(entry, now);
  const before =
    change === "changed" && was?.text !== undefined && tensor === null
      ? say("variable-was", { value: was.text })
      : change === null
        ? ""
        : say(`variable-${change}`);
  const follow = () => name !== null && select({ kind: "name", id: name });
  const isChosen = selected.value?.kind === "name" && selected.value.id === name;
  return h(
    "li",
    {
      class: change === null ? "" : "fresh",
      title: `${plain(path)} = ${value}${held === null ? "" : ` (${held.type})`}`,
    },
    tensor === null
      ? h("code", null, pathShown(plain(path)))
      : button(
          {
            class: "name-chip",
            "data-label": `n${name}`,
            "aria-pressed": isChosen ? "true" : "false",
            title: say("variable-follow", { name: plain(path) }),
            onClick: follow,
            onFocus: (/** @type {{currentTarget: HTMLElement}} */ { currentTarget }) =>
              tellWhole(currentTarget, plain(path)),
          },
          pathShown(plain(path)),
        ),
    h("span", { class: "value" }, value),
    before === "" ? null : h("span", { class: "was" }, before),
  );
}

/**
 * @param {Entry} entry
 * @param {State} now
 */
function shownValue({ held, tensor }, now) {
  if (tensor !== null) {
    const geometry = now.tensors.get(tensor)?.geometry ?? null;
    return geometry === null ? "" : shapeOf(geometry);
  }
  return held === null ? "–" : textOf(held);
}

/**
 * The text of a value: `[Tensor, …] (12)`, `Net object`.
 * @param {Held} held
 */
export function textOf({ kind = "value", type, text, length }) {
  if (kind === "object" || text === undefined)
    return kind === "collection" && length !== undefined
      ? say("variable-items", { type, count: length })
      : say("variable-object", { type });
  if (kind === "array") return `${type} ${text}`;
  return length !== undefined && text.includes("…") ? `${text} (${length})` : text;
}

/**
 * The calls and the values of their variables as text, for the text view.
 * @param {{index: Index, now: State}} props
 */
export function VariablesInWords({ index, now }) {
  const calls = callsAt(index, now);
  return h(
    "ul",
    { class: "calls-words" },
    calls.map((call) =>
      h(
        "li",
        { key: call.frame },
        h("b", null, titleOf(call)),
        `, ${placeOf(call)}`,
        call.entries.length === 0
          ? null
          : h(
              "ul",
              null,
              call.entries.map((entry) =>
                h(
                  "li",
                  { key: entry.path, class: entry.change === null ? undefined : "fresh" },
                  wordsOf(entry, now),
                ),
              ),
            ),
      ),
    ),
  );
}

/**
 * @param {Entry} entry
 * @param {State} now
 */
function wordsOf(entry, now) {
  const { path, change, tensor, held, was } = entry;
  const what =
    tensor !== null
      ? say("variable-tensor", { shape: shownValue(entry, now) })
      : held === null
        ? say("variable-unbound")
        : `${textOf(held)} (${held.type})`;
  const before =
    change === null
      ? ""
      : change === "changed" && was?.text !== undefined
        ? `, ${say("variable-was", { value: was.text })}`
        : `, ${say(`variable-${change}`)}`;
  return [h("code", null, plain(path)), ` = ${what}${before}`];
}
