/**
 * Owns what stands above a shared snippet: title and author in its sharer's words, and what it was changed
 * from.
 */

import { h } from "../../../vendor/ui.js";
import { legible } from "../../run/legible.js";
import { heading, snippet } from "../../state/store.js";
import { say } from "../../state/words.js";

export function SharedHeading() {
  const shown = heading.value;
  if (shown === null || shown.id !== snippet.value) return null;
  const { title, author, parent } = shown;
  if (title === "" && author === "" && parent === null) return null;
  return h(
    "span",
    { class: "shared-heading", title: say("shared-words") },
    title === "" ? null : h("q", { class: "shared-title" }, legible(title)),
    author === ""
      ? null
      : h("span", { class: "sharing-quiet" }, say("shared-author", { author: legible(author) })),
    parent === null
      ? null
      : h(
          "a",
          { href: `/s/${parent.id}` },
          parent.title ? say("shared-parent-titled", { title: legible(parent.title) }) : say("shared-parent"),
        ),
  );
}
