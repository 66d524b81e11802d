/** Owns the list of the links that this browser made. */

import { h } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { legible } from "../../run/legible.js";
import { unshare } from "../../session/actions.js";
import { ownLinks } from "../../session/links.js";
import { say } from "../../state/words.js";

/** @import {OwnLink} from "../../session/links.js" */

/** @param {{shown: OwnLink | null}} props */
export function OwnLinks({ shown }) {
  const links = [...ownLinks.value].reverse();
  return h(
    "details",
    { class: "sharing-own" },
    h("summary", null, say("share-own", { count: links.length })),
    h(
      "ul",
      null,
      links.map((link) =>
        h(
          "li",
          { key: link.id },
          h(
            "a",
            { href: `/s/${link.id}`, "aria-current": link.id === shown?.id ? "page" : undefined },
            nameOf(link),
          ),
          h("span", { class: "sharing-quiet" }, link.day),
          button(
            {
              "aria-label": say("share-delete-this", { name: nameOf(link) }),
              onClick: () => unshare(link.id),
            },
            say("share-delete-short"),
          ),
        ),
      ),
    ),
  );
}

/** @param {OwnLink} link */
function nameOf({ id, title }) {
  return title === "" ? `/s/${id}` : legible(title);
}
