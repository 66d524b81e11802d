/** Owns the dialog of sharing: the link, what stands above it, its QR code, and the links of this browser. */

import { h, useState } from "../../../vendor/ui.js";
import { isCopied, unshare } from "../../session/actions.js";
import { ownLink, ownLinks } from "../../session/links.js";
import { Sheet } from "../../panes/modal.js";
import { sharing } from "../../state/store.js";
import { say } from "../../state/words.js";
import { serverAddress } from "./address.js";
import { FrameCode } from "./frame-code.js";
import { Headings } from "./headings.js";
import { OwnLinks } from "./own-links.js";
import { QrCode } from "./qr-code.js";

export function Sharing() {
  const shown = sharing.value;
  const close = () => (sharing.value = null);
  return h(
    Sheet,
    { name: "sharing", title: say("share"), isOpen: shown !== null, close },
    shown === null ? null : h(Shared, { key: shown.path, ...shown }),
  );
}

/** @param {{path: string, isCopied: boolean}} props */
function Shared({ path, isCopied: wasCopied }) {
  const [isWhole, setWhole] = useState(false);
  const [copied, setCopied] = useState(wasCopied ? new URL(path, location.href).href : "");
  const at = path.includes("#") ? path.slice(path.indexOf("#")) : "";
  const shownPath = isWhole ? path.slice(0, path.length - at.length) : path;
  const link = new URL(shownPath, serverAddress.value?.address ?? location.origin).href;
  const made = ownLink(path);
  const copy = async () => setCopied((await isCopied(link)) ? link : "");
  return [
    h(LinkRow, { key: "link", link, copied: copied === link, copy }),
    at === "" ? null : h(StepChoice, { key: "step", at, isWhole, choose: setWhole }),
    made === null ? null : h(Headings, { key: "heading", link: made }),
    h(QrCode, { key: "qr", path: shownPath }),
    h(FrameCode, { key: "frame", path: shownPath }),
    ownLinks.value.length === 0 ? null : h(OwnLinks, { key: "own", shown: made }),
    made === null
      ? null
      : h(
          "button",
          { key: "delete", class: "button", type: "button", onClick: () => unshare(made.id) },
          say("share-delete"),
        ),
  ];
}

/**
 * The link, chosen so that a key copies it where there is no clipboard, and the button that copies it.
 * @param {{link: string, copied: boolean, copy: () => Promise<void>}} props
 */
function LinkRow({ link, copied, copy }) {
  return h(
    "div",
    { class: "sharing-link" },
    h("input", {
      autofocus: true,
      readOnly: true,
      value: link,
      onFocus: (/** @type {{currentTarget: HTMLInputElement}} */ event) => event.currentTarget.select(),
      "aria-label": say("link"),
      "aria-describedby": "sharing-copied",
    }),
    navigator.clipboard === undefined
      ? null
      : h("button", { class: "button primary", type: "button", onClick: copy }, say("share-copy")),
    h("p", { id: "sharing-copied", role: "status" }, say(copied ? "share-copied" : "share-made")),
  );
}

/** @param {{at: string, isWhole: boolean, choose: (isWhole: boolean) => void}} props */
function StepChoice({ at, isWhole, choose }) {
  const step = new URLSearchParams(at.slice(1)).get("step");
  if (step === null) return null;
  return h(
    "label",
    { class: "sharing-choice" },
    h("input", { type: "checkbox", checked: !isWhole, onChange: () => choose(!isWhole) }),
    say("share-at-step", { step }),
  );
}
