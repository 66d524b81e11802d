/** Owns the dialog in which a visitor reports a link or a lecture to the operator of the server. */

import { h, useState } from "../../vendor/ui.js";
import { ApiError } from "../io/api.js";
import { say, sayRefusal } from "../state/words.js";
import { Sheet } from "./modal.js";

/** As the server bounds it. */
const MOST = 200;

/** @typedef {(reason: string) => Promise<void>} Tell the operator */

/** @param {{title: string, report: Tell, isOpen: boolean, close: () => void}} props */
export function Report({ title, report, isOpen, close }) {
  return h(Sheet, { name: "reporting", title, isOpen, close }, isOpen ? h(Form, { report }) : null);
}

/** @param {{report: Tell}} props */
function Form({ report }) {
  const [reason, setReason] = useState("");
  const [told, setTold] = useState("");
  const [isSent, setSent] = useState(false);
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await report(reason);
      setSent(true);
      setTold(say("report-sent"));
    } catch (error) {
      setTold(error instanceof ApiError ? sayRefusal(error) : say("error-page"));
    }
  };
  return h(
    "form",
    { class: "sharing-report", onSubmit: send },
    h("p", null, say("report-hint")),
    isSent
      ? null
      : [
          h(
            "label",
            { key: "reason" },
            h("span", null, say("report-reason")),
            h("input", {
              autofocus: true,
              value: reason,
              maxLength: MOST,
              onInput: (/** @type {{currentTarget: HTMLInputElement}} */ event) =>
                setReason(event.currentTarget.value),
            }),
          ),
          h("button", { key: "send", class: "button primary", type: "submit" }, say("report-send")),
        ],
    h("p", { role: "status" }, told),
  );
}
