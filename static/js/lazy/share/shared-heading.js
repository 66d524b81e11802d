/**
 * Owns the line above a shared snippet: its title and author as the sharer wrote them, its origin, and the
 * button to report it.
 */

import { h, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { report } from "../../io/api.js";
import { Report } from "../../panes/report.js";
import { legible } from "../../run/legible.js";
import { ownLink } from "../../session/links.js";
import { heading, snippet } from "../../state/store.js";
import { say } from "../../state/words.js";

export function SharedHeading() {
  const [isReporting, setReporting] = useState(false);
  const shown = heading.value;
  if (shown === null || shown.id !== snippet.value) return null;
  const isOwn = ownLink(`/s/${shown.id}`) !== null;
  return [
    h(Words, { key: "words", ...shown }),
    isOwn
      ? null
      : button({ key: "report", class: "button report", onClick: () => setReporting(true) }, say("report")),
    h(Report, {
      key: "dialog",
      title: say("report-title"),
      report: (reason) => report(`/snippets/${encodeURIComponent(shown.id)}`, reason),
      isOpen: isReporting,
      close: () => setReporting(false),
    }),
  ];
}

/** @param {{title: string, author: string, parent: import("../../io/api.js").Parent | null}} props */
function Words({ title, author, parent }) {
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
