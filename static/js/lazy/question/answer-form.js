/**
 * Owns the form in which a visitor answers a question about a step: by typing, by choosing from a list, or
 * by clicking an item of the page.
 */

import { h, useRef, useState } from "../../../vendor/ui.js";
import { button } from "../../panes/buttons.js";
import { parsed } from "../../run/questions/answers.js";
import { say, tell } from "../../state/words.js";
import { usePicking } from "./picking.js";
import { answerOf, namesAt, nodeText } from "./wording.js";

/** @import {ComponentChildren} from "../../../vendor/ui.js" */
/** @import {Answer, Posed} from "../../run/questions/asked.d.ts" */
/** @import {Around} from "./wording.js" */

/**
 * `hint`: the id of a message that replaces the form's usual hint. `names`: the names to choose from if the
 * answer is a name; null: the visitor types the name.
 * @param {{
 *   around: Around,
 *   asked: Posed,
 *   names?: string[] | null,
 *   hint?: string,
 *   give: (answer: Answer) => void,
 *   children?: ComponentChildren,
 * }} props
 */
export function AnswerForm({ around, asked, names = null, hint, give, children }) {
  const { legal } = asked;
  const [text, type] = useState("");
  const [isRefused, refuse] = useState(false);
  const send = useRef(/** @type {HTMLButtonElement | null} */ (null));
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
            button(
              { key: String(whether), "data-answer": "", onClick: () => give({ kind: "whether", whether }) },
              tell(answerOf(around, asked, { kind: "whether", whether })),
            ),
          )
        : [
            h(Field, { key: "field", around, asked, names, text, fill, isRefused }),
            h("button", { class: "button primary", type: "submit", key: "send", ref: send }, say("answer")),
            legal.has_none
              ? button(
                  { key: "none", onClick: () => give({ kind: "none" }) },
                  tell(answerOf(around, asked, { kind: "none" })),
                )
              : null,
          ],
    ),
    h(
      "p",
      { class: isRefused ? "answer-hint refused" : "answer-hint", id: "answer-hint", "aria-live": "polite" },
      say(hint ?? `answer-hint-${legal.form}`),
    ),
    children,
  );
}

/**
 * The field for the answer: a text field, or a list of choices.
 * @param {{
 *   around: Around,
 *   asked: Posed,
 *   names: string[] | null,
 *   text: string,
 *   fill: (text: string) => void,
 *   isRefused: boolean,
 * }} props
 */
function Field({ around, asked, names, text, fill, isRefused }) {
  const common = {
    "aria-labelledby": "asked",
    "aria-describedby": "answer-hint",
    "aria-invalid": isRefused ? "true" : undefined,
    "data-answer": "",
    value: text,
    onInput: (/** @type {{currentTarget: HTMLInputElement}} */ event) => fill(event.currentTarget.value),
  };
  const options = optionsOf(around, asked, names);
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
 * The answers to choose from, as pairs of the text that the form submits and a label; null: the answer is
 * not chosen from a list.
 * @param {Around} around
 * @param {Posed} asked
 * @param {string[] | null} names
 * @returns {[string, string][] | null}
 */
export function optionsOf(around, { legal }, names) {
  if (legal.form === "name") return names?.map((name) => [name, name]) ?? null;
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
 * The text that a visitor would type to give this answer, such as `S3[2]`.
 * @param {Answer} answer
 */
function typedOf(answer) {
  return answer.kind === "cell"
    ? `S${answer.storage}[${answer.cell}]`
    : String(answer.node ?? answer.counter ?? answer.line ?? "");
}
