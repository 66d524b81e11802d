/** Owns a question of a lecture: its text, the count of each answer, and the correct answer. */

import { h, useEffect, useMemo, useState } from "../../../vendor/ui.js";
import { isRight } from "../../run/questions/answers.js";
import { stopAtTick } from "../../run/facts.js";
import { withGranularity } from "../../run/stops/granularity.js";
import { askedOf, questionsBetween } from "../../run/questions/questions.js";
import { stateAt } from "../../run/state-at.js";
import { withChunk } from "../../panes/chunks.js";
import { rich } from "../../panes/rich.js";
import { say, tell } from "../../state/words.js";
import { placeOf } from "./parts.js";

/** @import {Answer, Asked as AskedQuestion} from "../../run/questions/asked.d.ts" */
/** @import {Index} from "../../run/types.d.ts" */
/** @import {LecturePart} from "../../io/lectures.js" */
/** @import {QuestionChunk} from "../../panes/chunks.js" */

/** @param {{part: LecturePart, index: Index}} props */
export function Asked({ part, index }) {
  const [chunk, setChunk] = useState(/** @type {QuestionChunk | null} */ (null));
  useEffect(() => {
    withChunk("question", (loaded) => setChunk(loaded));
  }, []);
  const asked = useMemo(() => questionOf(part, index), [part, index]);
  const around = useMemo(() => asked && aroundOf(index, asked), [asked, index]);
  if (chunk === null || asked === null || around === null) return null;
  const saying = (/** @type {Answer} */ answer) => tell(chunk.answerOf(around, asked, answer));
  return h(
    "aside",
    { class: "lecture-asked", "aria-label": say("lecture-question") },
    h(
      "p",
      { class: "asked" },
      h("b", null, say("lecture-question")),
      " ",
      rich(tell(chunk.wordingOf(around, asked))),
    ),
    part.tally === undefined || part.tally.length === 0
      ? null
      : h(Tally, { asked, tally: part.tally, saying }),
    h(
      "details",
      null,
      h("summary", null, say("lecture-answer-show")),
      h(
        "p",
        null,
        asked.right.map((right, place) => [place > 0 ? ", " : "", h("b", null, rich(saying(right)))]),
      ),
    ),
  );
}

/**
 * @param {{asked: AskedQuestion, tally: [Answer, number][], saying: (answer: Answer) => string}} props
 */
function Tally({ asked, tally, saying }) {
  const most = Math.max(...tally.map(([, count]) => count));
  const rows = [...tally].sort(([, one], [, other]) => other - one);
  return h(
    "ul",
    { class: "lecture-tally", "aria-label": say("lecture-tally") },
    rows.map(([answer, count], place) =>
      h(
        "li",
        { key: place, class: isRight(asked, answer) ? "right" : undefined },
        h("span", { class: "tally-answer" }, rich(saying(answer))),
        h(
          "span",
          { class: "tally-bar", "aria-hidden": "true" },
          h("i", { style: { width: `${(100 * count) / most}%` } }),
        ),
        h("span", { class: "tally-count" }, say("lecture-count", { count })),
      ),
    ),
  );
}

/**
 * The question in a lecture's part, with its correct answer. Null: the part has none, or the recording does
 * not contain the answer.
 * @param {LecturePart} part
 * @param {Index} index
 * @returns {AskedQuestion | null}
 */
export function questionOf({ at, question, asks }, index) {
  if (question !== undefined) return askedOf(index, question);
  if (asks === undefined) return null;
  const after = tickAt(index, at);
  const until = tickAt(index, asks.until);
  if (after === null || until === null) return null;
  const all = questionsBetween(index, after, until).filter((each) => each.question.kind === asks.kind);
  return all[(asks.place ?? 1) - 1] ?? null;
}

/**
 * @param {Index} index
 * @param {string} at
 */
function tickAt(index, at) {
  const { k, by } = placeOf(at);
  return withGranularity(index, by).stops[k]?.tick ?? null;
}

/**
 * @param {Index} index
 * @param {AskedQuestion} asked
 */
function aroundOf(index, { question }) {
  const fine = withGranularity(index, "operator");
  const last = fine.stops.length - 1;
  const stateOf = (/** @type {number} */ tick) => stateAt(fine, Math.min(last, stopAtTick(fine, tick)));
  return { index: fine, now: stateOf(question.after), ahead: stateOf(question.until) };
}
