/** Owns the dialog in which a visitor reports a link or a lecture to the operator of the server. */

import { h, useState } from "../../vendor/ui.js";
import { field, useOutcome } from "./forms.js";
import { say } from "../state/words.js";
import { Sheet } from "./modal.js";

/** The server's limit for the number of characters of a report. */
const MOST = 200;

/** @typedef {(reason: string) => Promise<void>} Tell the operator */

/** @param {{title: string, report: Tell, isOpen: boolean, close: () => void}} props */
export function Report({ title, report, isOpen, close }) {
  return h(Sheet, { name: "reporting", title, isOpen, close }, isOpen ? h(Form, { report }) : null);
}

/** @param {{report: Tell}} props */
function Form({ report }) {
  const [reason, setReason] = useState("");
  const [told, run] = useOutcome();
  const [isSent, setSent] = useState(false);
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    void run(async () => {
      await report(reason);
      setSent(true);
      return say("report-sent");
    });
  };
  return h(
    "form",
    { class: "sharing-report", onSubmit: send },
    h("p", null, say("report-hint")),
    isSent
      ? null
      : [
          field(say("report-reason"), setReason, { autofocus: true, value: reason, maxLength: MOST }),
          h("button", { key: "send", class: "button primary", type: "submit" }, say("report-send")),
        ],
    h("p", { role: "status" }, told),
  );
}
