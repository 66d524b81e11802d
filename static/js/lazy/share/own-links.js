/** Owns the list of links created in this browser. */

import { h } from "../../../vendor/ui.js";
import { madeList } from "../../panes/forms.js";
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
    madeList("/s/", links, ({ id }) => unshare(id), shown?.id),
  );
}
