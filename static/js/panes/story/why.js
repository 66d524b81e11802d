/**
 * Owns the question "Why is this value so?" and its answer. The answer is about the step at which the
 * visitor asked, and does not change when its links lead to other steps.
 */

import { computed, effect, h, signal } from "../../../vendor/ui.js";
import { ask, asked } from "../../state/asked.js";
import { isHidden } from "../../state/prediction.js";
import { selected, tensorOf } from "../../state/selection.js";
import { goTo, played, state } from "../../state/store.js";
import { withChunk } from "../chunks.js";

/** @import {Signal} from "../../../vendor/ui.js" */
/** @import {Asked} from "../../run/stops/why-address.js" */
/** @import {WhyChunk} from "../chunks.js" */
/** @import {Index, State, Subject} from "../../run/types.d.ts" */

/** @type {Signal<WhyChunk | null>} */
const chunk = signal(null);

effect(() => {
  if (asked.value !== null) withChunk("why", (loaded) => (chunk.value = loaded));
});

/**
 * The answer to the current question; null: none. The chain of the answer is marked in the pictures and the
 * code.
 */
export const why = computed(() => {
  const index = played.value?.index;
  const now = asked.value;
  return index === undefined || now === null || isHidden.value
    ? null
    : (chunk.value?.answerOf(index, now.tick, now.subject, now.choices) ?? null);
});

/** Asks "Why?" about the selected item. If this question is already open, closes its answer. */
export function askWhy() {
  const [index, now, subject] = [played.peek()?.index, state.peek(), selected.peek()];
  const about = index && now && subject ? subjectOf(index, now, subject) : null;
  if (index === undefined || now === null || about === null) return;
  const before = asked.peek()?.subject;
  const isSame = why.peek() !== null && before?.id === about.id && before.kind === about.kind;
  if (isSame) ask(null);
  else withChunk("why", ({ askedAt }) => ask(askedAt(index, now.k, about)));
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

/** The answer to "Why?", which is shown above the story. */
export function Why() {
  const [shown, question] = [why.value, asked.value];
  if (shown === null || question === null || chunk.value === null) return null;
  const { Chain, following } = chunk.value;
  return h(Chain, {
    key: question.written.split("-")[0],
    ...{ why: shown, k: state.value?.k ?? -1, go: goTo },
    follow: (choices) => ask(following(question, choices)),
    close: () => ask(null),
  });
}
