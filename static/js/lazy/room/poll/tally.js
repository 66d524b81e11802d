/**
 * Owns the bar chart of a class's answers to a question, with the number of votes for each answer. Correct
 * answers are marked after the reveal.
 */

import { h } from "../../../../vendor/ui.js";
import { Icon } from "../../../panes/icons.js";
import { plain } from "../../../panes/rich.js";
import { isPresenting } from "../../../state/preferences.js";
import { say, tell } from "../../../state/words.js";
import { given, isRevealed, votes } from "./poll.js";
import { barsOf, keyOf } from "./poll-state.js";
import { words } from "./question-words.js";

/** @import {Around} from "../../../panes/chunks.js" */
/** @import {Poll} from "./poll-state.js" */

/** The maximum number of bars on a usual page and in presenter mode, where there is less space. */
const MOST = { usual: 8, presented: 4 };

/** @param {{asked: Poll, run: Around}} props */
export function Tally({ asked, run }) {
  const { count = 0, tally = null, others = 0, hands = [] } = votes.value ?? {};
  const right = isRevealed.value ? (asked.right ?? []) : [];
  const most = isPresenting.value ? MOST.presented : MOST.usual;
  const bars = tally === null ? null : barsOf(asked.legal, tally, right, most);
  const all = (tally ?? []).reduce((sum, [, votes]) => sum + votes, others ?? 0);
  // The teacher's page also counts raised hands while the votes are hidden.
  const sent = hands.reduce((sum, [, number]) => sum + number, count);
  const isRight = new Set(right.map(keyOf));
  return h(
    "div",
    { class: "poll-tally" },
    h("p", { class: "poll-count", role: "status" }, say("poll-count", { count: Math.max(sent, all) })),
    bars === null
      ? h("p", { class: "poll-hidden" }, say("poll-hidden"))
      : h(
          "ul",
          { class: "poll-bars" },
          bars.rows.map(([answer, votes]) => {
            const key = keyOf(answer);
            const share = all === 0 ? 0 : votes / all;
            return h(
              "li",
              { key, class: isRight.has(key) ? "is-right" : "", style: { "--share": share } },
              h("span", { class: "poll-answer" }, plain(tell(words().answerOf(run, asked, answer)))),
              isRight.has(key) ? h(Mark, { name: "check", label: say("poll-right") }) : null,
              given.value !== null && keyOf(given.value) === key
                ? h("span", { class: "poll-mine" }, say("poll-mine"))
                : null,
              h("b", { class: "poll-votes" }, votes),
            );
          }),
          (others ?? 0) + bars.others > 0
            ? h(
                "li",
                { key: "others", class: "others" },
                say("poll-others", { count: (others ?? 0) + bars.others }),
              )
            : null,
        ),
  );
}

/** @param {{name: string, label: string}} props */
function Mark({ name, label }) {
  return h("span", { class: "poll-mark" }, h(Icon, { name, size: 18 }), label);
}
