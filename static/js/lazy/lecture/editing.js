/** Owns the dialog in which the maker of a lecture edits it, removes parts, or deletes it. */

import { h, useRef, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { checkBox, useOutcome } from "../../panes/forms.js";
import { loadStylesheet } from "../../io/stylesheets.js";
import { Sheet } from "../../panes/modal.js";
import { say } from "../../state/words.js";
import { rewrite, unpublish } from "./own-lectures.js";
import { HeadingFields, NoteFields, Row } from "./rows.js";

/** @import {Own} from "../../session/own-list.js" */
/** @import {Lecture, LecturePart} from "../../io/lectures.js" */

/** Loads the style sheet of the dialog. */
export function loadLook() {
  return loadStylesheet(new URL("../../../css/lecture-making.css", import.meta.url));
}

/** @param {{made: Own, lecture: Lecture, isOpen: boolean, close: () => void}} props */
export function Editing({ made, lecture, isOpen, close }) {
  return h(
    Sheet,
    { name: "lecture-making", title: say("lecture-edit"), isOpen, close },
    isOpen ? h(Form, { made, lecture }) : null,
  );
}

/** @param {{made: Own, lecture: Lecture}} props */
function Form({ made, lecture }) {
  const [heading, setHeading] = useState({ title: lecture.title, author: lecture.author });
  const [parts, setParts] = useState(lecture.parts.map((part) => ({ part, isOut: false })));
  const [told, act] = useOutcome();
  const latest = useRef({ heading, parts });
  latest.current = { heading, parts };
  const change = (
    /** @type {number} */ place,
    /** @type {Partial<{part: LecturePart, isOut: boolean}>} */ more,
  ) => setParts(latest.current.parts.map((each, other) => (other === place ? { ...each, ...more } : each)));
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    void act(async () => {
      const left = latest.current.parts.filter(({ isOut }) => !isOut).map(({ part }) => sent(part));
      await rewrite(made, { ...latest.current.heading, parts: left });
      location.reload(); // to show the lecture as the server now stores it
    });
  };
  const remove = () =>
    void act(async () => {
      await unpublish(made);
      location.assign("/");
    });
  return h(
    "form",
    { class: "making", onSubmit: save },
    h(HeadingFields, { heading, setHeading }),
    h(
      "ol",
      { class: "making-parts" },
      parts.map(({ part, isOut }, place) =>
        h(
          Row,
          { key: place, isOut },
          checkBox(
            !isOut,
            () => change(place, { isOut: !isOut }),
            h("span", null, say("lecture-part", { number: place + 1 })),
          ),
          isOut
            ? null
            : h(NoteFields, {
                number: place + 1,
                note: part.note ?? {},
                write: (note) => change(place, { part: { ...part, note } }),
              }),
        ),
      ),
    ),
    h(
      "div",
      { class: "making-acts" },
      button({ onClick: remove }, say("lecture-delete")),
      h("span", { class: "spring" }),
      h("button", { class: "button primary", type: "submit" }, say("lecture-save")),
    ),
    h("p", { role: "status" }, told),
  );
}

/**
 * Converts a part of a lecture to the format in which the server stores it.
 * @param {LecturePart} part
 */
function sent({ document: _document, ...part }) {
  return part;
}
