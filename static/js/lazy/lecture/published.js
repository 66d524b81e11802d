/** Owns the view of a published lecture: its link, its QR code, and its deletion. */

import { API } from "../../io/prefix.js";
import { h, useEffect, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { publicAddress } from "../../io/api.js";
import { useOutcome } from "../../panes/forms.js";
import { isCopied } from "../../session/actions.js";
import { say } from "../../state/words.js";
import { unpublish } from "./own-lectures.js";

/** @import {Own} from "../../session/own-list.js" */

/** @param {{made: Own}} props */
export function Published({ made }) {
  const [server, setServer] = useState(/** @type {string | null} */ (null));
  const [told, run] = useOutcome(say("lecture-made"));
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    publicAddress().then(
      ({ address }) => setServer(address),
      () => undefined, // without an answer from the server, the link begins with this page's origin
    );
  }, []);
  const link = new URL(`/l/${made.id}`, server ?? location.origin).href;
  const copy = () => run(async () => say((await isCopied(link)) ? "share-copied" : "share-made"));
  const remove = () =>
    run(async () => {
      await unpublish(made);
      setGone(true);
      return say("lecture-deleted");
    });
  return h(
    "div",
    { class: "making-made" },
    isGone
      ? null
      : [
          h(
            "div",
            { class: "sharing-link", key: "link" },
            h("input", {
              autofocus: true,
              readOnly: true,
              value: link,
              "aria-label": say("link"),
              onFocus: (/** @type {{currentTarget: HTMLInputElement}} */ event) =>
                event.currentTarget.select(),
            }),
            navigator.clipboard === undefined
              ? null
              : button({ class: "button primary", onClick: copy }, say("share-copy")),
          ),
          h(
            "p",
            { key: "acts", class: "making-acts" },
            h("a", { class: "button", href: `/l/${made.id}` }, say("lecture-read")),
            button({ onClick: () => void remove() }, say("lecture-delete")),
          ),
          server === null
            ? null
            : h(
                "details",
                { key: "qr", class: "sharing-qr" },
                h("summary", null, say("share-qr")),
                h("img", { src: `${API}/lectures/${made.id}/qr.svg`, alt: say("share-qr-of", { link }) }),
              ),
        ],
    h("p", { role: "status" }, told),
  );
}
