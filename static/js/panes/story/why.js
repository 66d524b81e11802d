/**
 * Owns the answer to "Why is this value so?": the chain from the selection back to where its value began. It
 * stays about the step at which it was asked, while its links lead through the run.
 */

import { computed, h, signal } from "../../../vendor/ui.js";
import { whyOf } from "../../io/step-sentences.js";
import { isHidden } from "../../state/prediction.js";
import { selected, tensorOf } from "../../state/selection.js";
import { goTo, played, state } from "../../state/store.js";
import { say, tell } from "../../state/words.js";
import { button, iconButton } from "../buttons.js";
import { plain, rich } from "../rich.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {Link} from "../../words/steps/why.js" */
/** @import {Index, State, Subject} from "../../run/types.d.ts" */

/** @typedef {{kind: "tensor" | "grad", id: number}} Asked */

/**
 * What was asked about, and when.
 * @type {Signal<{subject: Asked, tick: number, run: object} | null>}
 */
const asked = signal(null);

const why = computed(() => {
  const index = played.value?.index;
  const now = asked.value;
  return index === undefined || now === null || now.run !== index.steps || isHidden.value
    ? null
    : whyOf(index, now.tick, now.subject);
});

/** Ask about the selection; where it is asked already, close the answer. */
export function askWhy() {
  const [index, now, subject] = [played.peek()?.index, state.peek(), selected.peek()];
  const about = index && now && subject ? subjectOf(index, now, subject) : null;
  const before = asked.peek();
  if (index === undefined || now === null || about === null) return;
  const isSame = why.peek() !== null && before?.subject.id === about.id && before.subject.kind === about.kind;
  asked.value = isSame ? null : { subject: about, tick: now.tick, run: index.steps };
}

/** Whether the selection has a value to ask about. */
export function canAskWhy() {
  const [index, now, subject] = [played.value?.index, state.value, selected.value];
  return Boolean(index && now && subject && !isHidden.value && subjectOf(index, now, subject));
}

/**
 * @param {Index} index
 * @param {State} now
 * @param {Subject} subject
 * @returns {Asked | null}
 */
function subjectOf(index, now, subject) {
  if (subject.kind === "fold") return null;
  if (subject.kind === "grad") return { kind: "grad", id: subject.id };
  if (subject.kind !== "storage" && subject.kind !== "cell") {
    const id = tensorOf(index, now, subject);
    return id === null ? null : { kind: "tensor", id };
  }
  const inside = index.lookups
    .tensors_in()(subject.id)
    .filter(({ id }) => now.tensors.get(id)?.geometry?.storage === subject.id);
  const named = inside.find(({ id }) => (now.tensors.get(id)?.labels.length ?? 0) > 0) ?? inside[0];
  return named === undefined ? null : { kind: "tensor", id: named.id };
}

/** The chain, above the story. */
export function Why() {
  const shown = why.value;
  if (shown === null) return null;
  return h(
    "section",
    { class: "why", "aria-labelledby": "why-title" },
    h(
      "header",
      null,
      h("h3", { id: "why-title" }, rich(tell(shown.title))),
      iconButton("cross", say("why-close"), { size: 14, onClick: () => (asked.value = null) }),
    ),
    h(
      "ol",
      null,
      shown.links.map((link, place) => h(WhyLink, { link, key: place })),
    ),
  );
}

/** @param {{link: Link}} props */
function WhyLink({ link: { sentence, formula, operands = [], stop, thing } }) {
  const data = Object.fromEntries(Object.entries(thing).map(([name, id]) => [`data-${name}`, id]));
  return h(
    "li",
    data,
    h("p", null, rich(tell(sentence))),
    formula === undefined
      ? null
      : h(
          "p",
          { class: "why-formula" },
          h("code", { class: "why-how" }, formula),
          operands.map(([name, value]) => h("code", { key: name }, `${name} = ${value}`)),
        ),
    stop === null
      ? null
      : button(
          {
            class: "link",
            "aria-current": state.value?.k === stop ? "step" : undefined,
            "aria-label": plain(say("why-go", { step: stop + 1 })),
            onClick: () => goTo(stop),
          },
          say("step", { step: stop + 1 }),
        ),
  );
}
