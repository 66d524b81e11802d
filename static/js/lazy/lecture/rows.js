/** Owns the fields of the forms for a lecture: its heading, and a row for each part. */

import { h } from "../../../vendor/ui.js";
import { iconButton } from "../../panes/buttons.js";
import { checkBox, field } from "../../panes/forms.js";
import { legible } from "../../run/legible.js";
import { say } from "../../state/words.js";
import { change, MOST, move } from "./kept.js";

/** @import {ComponentChildren} from "../../../vendor/ui.js" */
/** @import {KeptPart, Note} from "../../io/lectures.js" */

/** @typedef {{title: string, author: string}} Heading */

/** The maximum number of characters of a line of code in a row of the form. */
const CODE = 60;

/** @param {{heading: Heading, setHeading: (heading: Heading) => void}} props */
export function HeadingFields({ heading, setHeading }) {
  const fieldOf = (/** @type {"title" | "author"} */ name) =>
    field(say(`lecture-${name}`), (text) => setHeading({ ...heading, [name]: text }), {
      value: heading[name],
      maxLength: MOST[name],
    });
  return h("div", { class: "making-heading" }, fieldOf("title"), fieldOf("author"));
}

/** @param {{part: KeptPart, place: number, count: number, note: Note}} props */
export function KeptRow({ part, place, count, note }) {
  const { id, line, at, run, isOut, question } = part;
  const answers = part.tally.reduce((all, [, count]) => all + count, 0);
  const code = legible((run.source.split("\n")[line - 1] ?? "").trim().slice(0, CODE));
  const step = new URLSearchParams(at).get("step") ?? "";
  const arrow = (
    /** @type {1 | -1} */ direction,
    /** @type {"raise" | "lower"} */ name,
    /** @type {boolean} */ isOver,
  ) =>
    iconButton(name, say(`lecture-${name}-part`, { number: place + 1 }), {
      title: say(`lecture-${name}`),
      "aria-disabled": isOver,
      onClick: () => move(id, direction),
    });
  return h(
    Row,
    { isOut },
    h(
      "div",
      { class: "making-head" },
      checkBox(
        !isOut,
        () => change(id, { isOut: !isOut }),
        h("span", null, say("lecture-part-at", { number: place + 1, step, line })),
      ),
      arrow(-1, "raise", place === 0),
      arrow(1, "lower", place === count - 1),
      isOut ? null : h("code", null, code),
    ),
    isOut || question === null
      ? null
      : h("p", { class: "sharing-quiet" }, say("lecture-part-asked", { count: answers })),
    isOut
      ? null
      : h(NoteFields, { number: place + 1, note, write: (written) => change(id, { note: written }) }),
  );
}

/** @param {{isOut?: boolean, children?: ComponentChildren}} props */
export function Row({ isOut = false, children }) {
  return h("li", { class: isOut ? "making-part out" : "making-part" }, children);
}

/**
 * The fields for the note about a part, in both languages.
 * @param {{number: number, note: Note, write: (note: Note) => void}} props
 */
export function NoteFields({ number, note, write }) {
  const field = (/** @type {"en" | "zh-CN"} */ tag) =>
    h("textarea", {
      rows: 2,
      lang: tag,
      maxLength: MOST.note,
      value: note[tag] ?? "",
      placeholder: say(tag === "en" ? "lecture-note-en" : "lecture-note-zh"),
      "aria-label": say(tag === "en" ? "lecture-note-en-of" : "lecture-note-zh-of", { number }),
      onInput: (/** @type {{currentTarget: HTMLTextAreaElement}} */ { currentTarget }) =>
        write({ ...note, [tag]: currentTarget.value }),
    });
  return h("div", { class: "making-notes" }, field("en"), field("zh-CN"));
}
