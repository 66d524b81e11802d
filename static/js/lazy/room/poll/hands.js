/**
 * Owns the form for a show of hands, in which the teacher enters the number of raised hands for each answer.
 */

import { h, signal, useEffect, useLayoutEffect, useRef, useState } from "../../../../vendor/ui.js";
import { MOST_TYPED, parsed } from "../../../run/questions/answers.js";
import { plain } from "../../../panes/rich.js";
import { say, tell } from "../../../state/words.js";
import { room } from "../room.js";
import { countHands, isOpen } from "./poll.js";
import { keyOf, votesOf } from "./poll-state.js";
import { words } from "./question-words.js";

/** @import {Around} from "../../../panes/chunks.js" */
/** @import {Answer} from "../../../run/questions/asked.d.ts" */
/** @import {Poll} from "./poll-state.js" */

export const handsAreOpen = signal(false);
/** If a question has more answers, the form does not list them, and the teacher types the given ones. */
const MOST_LISTED = 12;
/** The limits of the server: the number of hands for one answer, and the number of answers with hands. */
const MOST = { hands: 1000, answers: 40 };

export function turnHands() {
  if (isOpen.peek()) handsAreOpen.value = !handsAreOpen.peek();
}

/** @param {{asked: Poll, run: Around}} props */
export function Hands({ asked, run }) {
  return handsAreOpen.value ? h(HandsForm, { asked, run, key: asked.id }) : null;
}

/** @param {{asked: Poll, run: Around}} props */
function HandsForm({ asked, run }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  // Focus the field before the browser handles the next key.
  useLayoutEffect(() => form.current?.querySelector("input")?.focus(), []);
  useEffect(
    () => () => {
      handsAreOpen.value = false;
    },
    [],
  );
  const told = votesOf(room.value?.link.state.value.votes);
  const kept = told?.hands ?? [];
  const [typed, type] = useState(/** @type {Record<string, string>} */ ({}));
  const [other, setOther] = useState({ answer: "", count: "" });
  const [isRefused, refuse] = useState(false);
  const answers = listed(
    asked,
    run,
    [...kept, ...(told?.tally ?? [])].map(([answer]) => answer),
  );
  const countOf = (/** @type {Answer} */ answer) =>
    typed[keyOf(answer)] ?? String(kept.find(([each]) => keyOf(each) === keyOf(answer))?.[1] ?? "");
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const hands = answers.map(
      (answer) => /** @type {[Answer, number]} */ ([answer, numberOf(countOf(answer))]),
    );
    const extra = other.answer.trim() === "" ? null : parsed(asked.legal, other.answer);
    if (other.answer.trim() !== "" && extra === null) return refuse(true);
    if (extra !== null) hands.push([extra, numberOf(other.count)]);
    const all = hands.filter(([, count]) => count > 0).slice(0, MOST.answers);
    if (await countHands(all)) handsAreOpen.value = false;
  };
  const leave = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    handsAreOpen.value = false;
  };
  return h(
    "form",
    {
      ref: form,
      class: "poll-hands-form",
      onSubmit: submit,
      onKeyDown: leave,
      noValidate: true,
      "aria-label": say("poll-hands"),
    },
    answers.map((answer) =>
      h(
        "label",
        { key: keyOf(answer) },
        h("span", null, plain(tell(words().answerOf(run, asked, answer)))),
        h(Count, {
          value: countOf(answer),
          set: (value) => type((was) => ({ ...was, [keyOf(answer)]: value })),
        }),
      ),
    ),
    isListed(asked, run)
      ? null
      : h(
          "div",
          { class: "poll-hands-other" },
          h("input", {
            "aria-label": say("poll-hands-other"),
            placeholder: say("poll-hands-other"),
            "aria-invalid": isRefused ? "true" : undefined,
            autocomplete: "off",
            maxLength: MOST_TYPED,
            value: other.answer,
            onInput: (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => {
              refuse(false);
              setOther((was) => ({ ...was, answer: currentTarget.value }));
            },
          }),
          h(Count, { value: other.count, set: (count) => setOther((was) => ({ ...was, count })) }),
        ),
    h("button", { class: "button primary", type: "submit" }, say("poll-hands-count")),
  );
}

/** @param {{value: string, set: (value: string) => void}} props */
function Count({ value, set }) {
  return h("input", {
    class: "poll-number",
    inputMode: "numeric",
    autocomplete: "off",
    "aria-label": say("poll-hands-number"),
    maxLength: 4,
    value,
    onInput: (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => set(currentTarget.value),
  });
}

/** @param {string} text */
function numberOf(text) {
  const count = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  return Math.min(MOST.hands, count);
}

/**
 * Whether a question has few enough answers to list them all.
 * @param {Poll} asked
 * @param {Around} run
 */
function isListed(asked, run) {
  if (asked.legal.form === "whether") return true;
  const options = words().optionsOf(run, asked, asked.names);
  return options !== null && options.length <= MOST_LISTED;
}

/**
 * The answers for which the form has a field: all answers of the question if they are few, otherwise those
 * that were given.
 * @param {Poll} asked
 * @param {Around} run
 * @param {Answer[]} given
 * @returns {Answer[]}
 */
function listed(asked, run, given) {
  const { legal } = asked;
  const options = isListed(asked, run)
    ? legal.form === "whether"
      ? ["yes", "no"]
      : (words().optionsOf(run, asked, asked.names) ?? []).map(([value]) => value)
    : [];
  const all = [...options, ...(legal.has_none ? ["none"] : [])].flatMap((text) => parsed(legal, text) ?? []);
  return [...new Map([...all, ...given].map((answer) => [keyOf(answer), answer])).values()].slice(
    0,
    MOST.answers,
  );
}
