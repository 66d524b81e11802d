/**
 * Owns the texts that the maker of a link publishes with it: a title, an author line, and notes about its
 * steps.
 */

import { h, useEffect, useState } from "../../../vendor/ui.js";
import { ApiError } from "../../io/api.js";
import { loadChunk } from "../../panes/chunks.js";
import { headLink } from "../../session/links.js";
import { heading } from "../../state/store.js";
import { say, sayRefusal } from "../../state/words.js";

/** @import {OwnLink} from "../../session/links.js" */

/** As the server bounds them. */
const MOST = { title: 120, author: 80 };

/** @param {{link: OwnLink, source: string | null}} props */
export function Headings({ link, source }) {
  const known = heading.value?.id === link.id ? heading.value : null;
  const [written, setWritten] = useState({ title: known?.title ?? link.title, author: known?.author ?? "" });
  const published = known?.notes ?? {};
  const [isPublic, setPublic] = useState(Object.keys(published).length > 0);
  const mine = useNotes(source);
  const [told, setTold] = useState("");
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      const notes = !isPublic ? {} : Object.keys(mine).length > 0 ? mine : published;
      await headLink(link, { ...written, notes });
      heading.value = { id: link.id, parent: known?.parent ?? null, ...written, notes };
      setTold(say("share-heading-kept"));
    } catch (error) {
      setTold(error instanceof ApiError ? sayRefusal(error) : say("error-page"));
    }
  };
  const field = (/** @type {"title" | "author"} */ name) =>
    h(
      "label",
      null,
      h("span", null, say(`share-${name}`)),
      h("input", {
        value: written[name],
        maxLength: MOST[name],
        onInput: (/** @type {{currentTarget: HTMLInputElement}} */ event) =>
          setWritten({ ...written, [name]: event.currentTarget.value }),
      }),
    );
  return h(
    "form",
    { class: "sharing-heading", onSubmit: save },
    field("title"),
    field("author"),
    h("p", { class: "sharing-quiet" }, say("share-heading-hint")),
    Object.keys(mine).length + Object.keys(published).length === 0
      ? null
      : h(
          "label",
          { class: "sharing-choice" },
          h("input", { type: "checkbox", checked: isPublic, onChange: () => setPublic(!isPublic) }),
          say("share-notes", { count: Object.keys(mine).length || Object.keys(published).length }),
        ),
    h("button", { class: "button", type: "submit" }, say("share-heading-keep")),
    h("p", { role: "status" }, told),
  );
}

/**
 * The visitor's own notes about a program, which nothing but this form sends anywhere.
 * @param {string | null} source
 */
function useNotes(source) {
  const [notes, setNotes] = useState(/** @type {Record<string, string>} */ ({}));
  useEffect(() => {
    if (source === null) return;
    loadChunk("presenter").then(
      ({ notesAbout }) => setNotes(notesAbout(source)),
      () => undefined, // then they are not offered
    );
  }, [source]);
  return notes;
}
