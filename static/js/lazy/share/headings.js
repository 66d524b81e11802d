/** Owns the title and the author line that whoever made a link writes above it. */

import { h, useState } from "../../../vendor/ui.js";
import { ApiError } from "../../io/api.js";
import { headLink } from "../../session/links.js";
import { heading } from "../../state/store.js";
import { say, sayRefusal } from "../../state/words.js";

/** @import {OwnLink} from "../../session/links.js" */

/** As the server bounds them. */
const MOST = { title: 120, author: 80 };

/** @param {{link: OwnLink}} props */
export function Headings({ link }) {
  const known = heading.value?.id === link.id ? heading.value : null;
  const [written, setWritten] = useState({ title: known?.title ?? link.title, author: known?.author ?? "" });
  const [told, setTold] = useState("");
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await headLink(link, written);
      heading.value = { id: link.id, parent: known?.parent ?? null, ...written };
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
    h("button", { class: "button", type: "submit" }, say("share-heading-keep")),
    h("p", { role: "status" }, told),
  );
}
