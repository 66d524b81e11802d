/**
 * Owns a row of the share dialog with a link and a button that copies it. The text of the link is selected,
 * so the keyboard shortcut for copying works even without the clipboard API.
 */

import { h, useEffect, useId, useRef, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { isCopied } from "../../session/actions.js";
import { say } from "../../state/words.js";

/**
 * `wasCopied`: the link is in the clipboard already; `isFirst`: the link gets the focus as soon as it is
 * shown in the dialog.
 * @param {{link: string, label: string, wasCopied: boolean, isFirst: boolean}} props
 */
export function LinkRow({ link, label, wasCopied, isFirst }) {
  const [copied, setCopied] = useState(wasCopied ? link : "");
  const told = useId();
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => {
    if (isFirst) field.current?.focus();
  }, []);
  const copy = async () => setCopied((await isCopied(link)) ? link : "");
  return h(
    "div",
    { class: "sharing-link" },
    h("input", {
      ref: field,
      autofocus: isFirst,
      readOnly: true,
      value: link,
      onFocus: (/** @type {{currentTarget: HTMLInputElement}} */ event) => event.currentTarget.select(),
      "aria-label": label,
      "aria-describedby": told,
    }),
    navigator.clipboard === undefined
      ? null
      : button({ class: "button primary", onClick: copy }, say("share-copy")),
    h("p", { id: told, role: "status" }, say(copied === link ? "share-copied" : "share-made")),
  );
}
