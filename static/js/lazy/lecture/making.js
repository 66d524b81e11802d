/** Owns the dialog that makes a lecture from the collected steps: its parts in order, and their notes. */

import { h, render, signal, useEffect, useRef, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { loadStylesheet } from "../../io/stylesheets.js";
import { withChunk } from "../../panes/chunks.js";
import { Sheet } from "../../panes/modal.js";
import { say, sayFailure } from "../../state/words.js";
import { keepNow } from "./following.js";
import { forget, kept } from "./kept.js";
import { noteOfBrowser } from "./notes.js";
import { HeadingFields, KeptRow } from "./rows.js";
import { Published } from "./published.js";
import { chosen, publishKept } from "./publishing.js";

/** @import {Own} from "../../session/own-list.js" */
/** @import {Heading} from "./rows.js" */

const isOpen = signal(false);
let isMounted = false;

/**
 * Opens the dialog that makes a lecture. The dialog is rendered in its own element of the page's body, not
 * in the page's component tree.
 */
export async function openMaking() {
  await loadStylesheet(new URL("../../../css/lecture-making.css", import.meta.url));
  if (!isMounted) {
    isMounted = true;
    const host = document.body.appendChild(document.createElement("div"));
    render(h(Making, null), host);
  }
  isOpen.value = true;
}

function Making() {
  const close = () => (isOpen.value = false);
  return h(
    Sheet,
    { name: "lecture-making", title: say("lecture-make"), isOpen: isOpen.value, close },
    isOpen.value ? h(Contents, null) : null,
  );
}

function Contents() {
  const [made, setMade] = useState(/** @type {Own | null} */ (null));
  return made === null ? h(Form, { done: setMade }) : h(Published, { made });
}

/** @param {{done: (made: Own) => void}} props */
function Form({ done }) {
  const [heading, setHeading] = useState(/** @type {Heading} */ ({ title: "", author: "" }));
  const [told, setTold] = useState("");
  const [isBusy, setBusy] = useState(false);
  const latest = useRef(heading);
  latest.current = heading;
  const notesAbout = useNotes();
  const parts = kept.value;
  const count = parts.filter(({ isOut }) => !isOut).length;
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isBusy || chosen().length === 0) return;
    setBusy(true);
    setTold(say("lecture-publishing"));
    try {
      done(
        await publishKept(
          () => latest.current,
          (part) => part.note ?? noteOfBrowser(notesAbout, part),
        ),
      );
      forget();
    } catch (error) {
      setTold(sayFailure(error));
      setBusy(false);
    }
  };
  return h(
    "form",
    { class: "making", onSubmit: send },
    h("p", null, say("lecture-make-hint")),
    h(HeadingFields, { heading, setHeading }),
    parts.length === 0
      ? h("p", { class: "sharing-quiet" }, say("lecture-empty"))
      : h(
          "ol",
          { class: "making-parts" },
          parts.map((part, place) =>
            h(KeptRow, {
              key: part.id,
              part,
              place,
              count: parts.length,
              note: part.note ?? noteOfBrowser(notesAbout, part),
            }),
          ),
        ),
    h(
      "div",
      { class: "making-acts" },
      button({ onClick: () => void keepNow() }, say("lecture-keep-this")),
      h("span", { class: "spring" }),
      h(
        "button",
        { class: "button primary", type: "submit", "aria-disabled": isBusy || count === 0 },
        say("lecture-publish", { count }),
      ),
    ),
    h("p", { role: "status" }, told),
  );
}

/** A function that returns the notes which this browser stores about the steps of a program. */
function useNotes() {
  const [notesAbout, setNotes] = useState(
    () => (/** @type {string} */ _source) => /** @type {Record<string, string>} */ ({}),
  );
  useEffect(() => {
    withChunk("presenter", (presenter) => setNotes(() => presenter.notesAbout));
  }, []);
  return notesAbout;
}
