/** Owns the question that prediction mode asks about the next step, and what happens after an answer. */

import { h, useMemo, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { isRight } from "../../run/questions/answers.js";
import { questionsBetween } from "../../run/questions/questions.js";
import { stateAt } from "../../run/state-at.js";
import { advance, result } from "../../state/prediction.js";
import { say, tell } from "../../state/words.js";
import { rich } from "../../panes/rich.js";
import { AnswerForm } from "./answer-form.js";
import { answerOf, wordingOf } from "./wording.js";

/** @import {Index} from "../../run/types.d.ts" */
/** @import {Answer, Asked} from "../../run/questions/asked.d.ts" */
/** @import {Around} from "./wording.js" */

/** @param {{index: Index, k: number}} props `k`: the stop that is asked about */
export function AskedQuestion({ index, k }) {
  const [place, go] = useState(0);
  const around = useMemo(() => ({ index, now: stateAt(index, k - 1), ahead: stateAt(index, k) }), [index, k]);
  const questions = useMemo(
    () => questionsBetween(index, around.now.tick, around.ahead.tick),
    [index, around],
  );
  const asked = questions[place % questions.length];
  if (asked === undefined) return null;
  const next = () => go(place + 1);
  return [
    h("p", { class: "asked", id: "asked", key: "asked" }, rich(tell(wordingOf(around, asked)))),
    h(AnswerForm, {
      key: `${k}.${place}`,
      around,
      asked,
      give: (answer) => answered(around, asked, k, answer),
      children:
        questions.length > 1 ? button({ class: "link", onClick: next }, say("predict-another")) : null,
    }),
  ];
}

/**
 * After an answer, shows the step and whether the answer was correct.
 * @param {Around} around
 * @param {Asked} asked
 * @param {number} k
 * @param {Answer} answer
 */
function answered(around, asked, k, answer) {
  result.value = {
    k,
    isRight: isRight(asked, answer),
    question: wordingOf(around, asked),
    given: answerOf(around, asked, answer),
    truth: asked.right.map((right) => answerOf(around, asked, right)),
  };
  advance();
  /** @type {HTMLElement | null} */ (document.querySelector(".story-pane .story"))?.focus();
}
