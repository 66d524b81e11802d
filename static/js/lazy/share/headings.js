/**
 * Owns the texts that the author of a link publishes with it: title, author line, and notes about steps.
 */

import { h, useEffect, useState } from "../../../vendor/ui.js";
import { checkBox, field, useOutcome } from "../../panes/forms.js";
import { withChunk } from "../../panes/chunks.js";
import { headLink } from "../../session/links.js";
import { heading } from "../../state/store.js";
import { say } from "../../state/words.js";

/** @import {OwnLink} from "../../session/links.js" */

/** The server's limits for the characters of a title and of an author line. */
const MOST = { title: 120, author: 80 };

/** @param {{link: OwnLink, source: string | null}} props */
export function Headings({ link, source }) {
  const known = heading.value?.id === link.id ? heading.value : null;
  const [written, setWritten] = useState({ title: known?.title ?? link.title, author: known?.author ?? "" });
  const published = known?.notes ?? {};
  const [isPublic, setPublic] = useState(Object.keys(published).length > 0);
  const mine = useNotes(source);
  const [told, run] = useOutcome();
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    void run(async () => {
      const notes = !isPublic ? {} : Object.keys(mine).length > 0 ? mine : published;
      await headLink(link, { ...written, notes });
      heading.value = { id: link.id, parent: known?.parent ?? null, ...written, notes };
      return say("share-heading-kept");
    });
  };
  const fieldOf = (/** @type {"title" | "author"} */ name) =>
    field(say(`share-${name}`), (text) => setWritten({ ...written, [name]: text }), {
      value: written[name],
      maxLength: MOST[name],
    });
  return h(
    "form",
    { class: "sharing-heading", onSubmit: save },
    fieldOf("title"),
    fieldOf("author"),
    h("p", { class: "sharing-quiet" }, say("share-heading-hint")),
    Object.keys(mine).length + Object.keys(published).length === 0
      ? null
      : checkBox(
          isPublic,
          () => setPublic(!isPublic),
          say("share-notes", { count: Object.keys(mine).length || Object.keys(published).length }),
        ),
    h("button", { class: "button", type: "submit" }, say("share-heading-keep")),
    h("p", { role: "status" }, told),
  );
}

/**
 * The visitor's notes about the steps of a program. The notes stay in the browser unless the visitor
 * publishes them with this form.
 * @param {string | null} source
 */
function useNotes(source) {
  const [notes, setNotes] = useState(/** @type {Record<string, string>} */ ({}));
  useEffect(() => {
    if (source === null) return;
    withChunk("presenter", ({ notesAbout }) => setNotes(notesAbout(source)));
  }, [source]);
  return notes;
}
