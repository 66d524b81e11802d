/** Owns the dialog in which a reader reports a lecture to the operator of the server. */

import { h, useState } from "../../../vendor/ui.js";
import { ApiError } from "../../io/api.js";
import { reportLecture } from "../../io/lectures.js";
import { Sheet } from "../../panes/modal.js";
import { say, sayRefusal } from "../../state/words.js";

/** As the server bounds it. */
const MOST = 200;

/** @param {{id: string, isOpen: boolean, close: () => void}} props */
export function Report({ id, isOpen, close }) {
  return h(
    Sheet,
    { name: "reporting", title: say("lecture-report-title"), isOpen, close },
    isOpen ? h(Form, { id }) : null,
  );
}

/** @param {{id: string}} props */
function Form({ id }) {
  const [reason, setReason] = useState("");
  const [told, setTold] = useState("");
  const [isSent, setSent] = useState(false);
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await reportLecture(id, reason);
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
