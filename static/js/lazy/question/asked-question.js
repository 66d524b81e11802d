/** Owns the question that is open: what is asked, and the form that it is answered with. */

import { h, useMemo, useRef, useState } from "../../../vendor/ui.js";
import { isRight, parsed } from "../../run/answers.js";
import { questionsBetween } from "../../run/questions.js";
import { stateAt } from "../../run/state-at.js";
import { advance, result } from "../../state/prediction.js";
import { say, tell } from "../../state/words.js";
import { rich } from "../../panes/rich.js";
import { usePicking } from "./picking.js";
import { answerOf, namesAt, nodeText, wordingOf } from "./wording.js";

/** @import {Index} from "../../run/types.d.ts" */
/** @import {Answer, Asked} from "../../run/asked.d.ts" */
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
      k,
      next: questions.length > 1 ? next : null,
    }),
  ];
}

/**
 * @param {{around: Around, asked: Asked, k: number, next: (() => void) | null}} props
 */
function AnswerForm({ around, asked, k, next }) {
  const { legal } = asked;
  const [text, type] = useState("");
  const [isRefused, refuse] = useState(false);
  const send = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const give = (/** @type {Answer} */ answer) => {
    const truth = asked.right.map((right) => answerOf(around, asked, right));
    result.value = {
      k,
      isRight: isRight(asked, answer),
      question: wordingOf(around, asked),
      given: answerOf(around, asked, answer),
      truth,
    };
    advance();
    /** @type {HTMLElement | null} */ (document.querySelector(".story-pane .story"))?.focus();
  };
  const fill = (/** @type {string} */ value) => {
    type(value);
    refuse(false);
  };
  usePicking(around.index, around.now, legal, (answer) => {
    fill(typedOf(answer));
    send.current?.focus();
  });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const answer = parsed(legal, text);
    if (answer === null) refuse(true);
    else give(answer);
  };
  return h(
    "form",
    { class: "answer-form", onSubmit: submit, noValidate: true },
    h(
      "div",
      { class: "answer-row" },
      legal.form === "whether"
        ? [true, false].map((whether) =>
            h(
              "button",
              {
                class: "button",
                type: "button",
                key: String(whether),
                "data-answer": "",
                onClick: () => give({ kind: "whether", whether }),
              },
              say(whether ? "answer-yes" : "answer-no"),
            ),
          )
        : [
            h(Field, { key: "field", around, asked, text, fill, isRefused }),
            h("button", { class: "button primary", type: "submit", key: "send", ref: send }, say("answer")),
            legal.has_none
              ? h(
                  "button",
                  { class: "button", type: "button", key: "none", onClick: () => give({ kind: "none" }) },
                  tell(answerOf(around, asked, { kind: "none" })),
                )
              : null,
          ],
    ),
    h(
      "p",
      { class: isRefused ? "answer-hint refused" : "answer-hint", id: "answer-hint", "aria-live": "polite" },
      say(`answer-hint-${legal.form}`),
    ),
    next === null
      ? null
      : h("button", { class: "link", type: "button", onClick: next }, say("predict-another")),
  );
}

/**
 * What is typed, or chosen from a list.
 * @param {{
 *   around: Around,
 *   asked: Asked,
 *   text: string,
 *   fill: (text: string) => void,
 *   isRefused: boolean,
 * }} props
 */
function Field({ around, asked, text, fill, isRefused }) {
  const common = {
    "aria-labelledby": "asked",
    "aria-describedby": "answer-hint",
    "aria-invalid": isRefused ? "true" : undefined,
    "data-answer": "",
    value: text,
    onInput: (/** @type {{currentTarget: HTMLInputElement}} */ event) => fill(event.currentTarget.value),
  };
  const options = optionsOf(around, asked);
  if (options === null)
    return h("input", { ...common, type: "text", autoComplete: "off", spellCheck: false, maxLength: 100 });
  return h(
    "select",
    common,
    h("option", { value: "", key: "" }, "–"),
    options.map(([value, label]) => h("option", { value, key: value }, label)),
  );
}

/**
 * The answers that can be listed: by what is typed for them, and what they are called.
 * @param {Around} around
 * @param {Asked} asked
 * @returns {[string, string][] | null}
 */
function optionsOf(around, { legal }) {
  if (legal.form === "node")
    return (legal.nodes ?? []).map((node) => [String(node), nodeText(around.index, node)]);
  if (legal.form === "counter")
    return (legal.counters ?? []).map((counter) => [String(counter), namesAt(around, counter)]);
  if (legal.form === "line")
    return Array.from({ length: legal.lines ?? 0 }, (_, line) => [
      String(line + 1),
      say("line", { line: line + 1 }),
    ]);
  return null;
}

/**
 * How an answer is typed.
 * @param {Answer} answer
 */
function typedOf(answer) {
  return answer.kind === "cell"
    ? `S${answer.storage}[${answer.cell}]`
    : String(answer.node ?? answer.counter ?? answer.line ?? "");
}
