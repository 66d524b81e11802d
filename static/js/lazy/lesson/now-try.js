/**
 * Owns the panel for the task at the end of a lesson: its text, the result of the visitor's run, and a
 * solution.
 */

import { h } from "../../../vendor/ui.js";
import { Icon } from "../../panes/icons.js";
import { rich } from "../../panes/rich.js";
import { say } from "../../state/words.js";
import { attempt, lesson } from "./lesson.js";
import { wordsOf } from "./lesson-panel.js";

/** @import {Attempt} from "../../io/boot.js" */
/** @import {Condition} from "./attempt.js" */

export function NowTry() {
  const conditions = attempt.value;
  const isMade = conditions?.every(({ holds }) => holds) === true;
  return h(
    "section",
    { class: `now-try${isMade ? " made" : ""}`, "aria-labelledby": "now-try" },
    h("h3", { id: "now-try" }, say("lesson-now-try")),
    h("p", { class: "now-try-task" }, rich(wordsOf(lesson.now_try.task))),
    conditions === null
      ? h("p", { class: "now-try-how" }, say("lesson-try-how"))
      : h(Result, { conditions, isMade, attempt: lesson.now_try }),
    isMade ? null : h(OneWay, { attempt: lesson.now_try }),
  );
}

/** @param {{conditions: Condition[], isMade: boolean, attempt: Attempt}} props */
function Result({ conditions, isMade, attempt: { ends = "finished" } }) {
  return [
    h(
      "p",
      { class: "now-try-result", role: "status", key: "result" },
      h(Icon, { name: isMade ? "check" : "cross", size: 17 }),
      say(isMade ? "lesson-try-made" : "lesson-try-open"),
    ),
    h(
      "ul",
      { class: "conditions", key: "conditions" },
      conditions.map(({ check, holds }) =>
        h(
          "li",
          { class: holds ? "holds" : "fails", key: check?.expression ?? "" },
          h(Icon, { name: holds ? "check" : "cross", size: 13 }),
          h("span", { class: "visually-hidden" }, say(holds ? "lesson-try-holds" : "lesson-try-fails")),
          check === null
            ? h(
                "span",
                null,
                ends === "finished" ? say("lesson-try-finishes") : say("lesson-try-raises", { type: ends }),
              )
            : h("code", null, `${check.expression} → ${check.value}`),
        ),
      ),
    ),
  ];
}

/** @param {{attempt: Attempt}} props */
function OneWay({ attempt: { change } }) {
  return h(
    "details",
    { class: "one-way" },
    h("summary", null, say("lesson-try-way")),
    h(
      "ul",
      null,
      change.map(({ line, to }) =>
        h(
          "li",
          { key: line },
          h("span", null, `${say("line", { line })}: `),
          to === "" ? say("lesson-try-remove") : h("code", null, to),
        ),
      ),
    ),
  );
}
