/**
 * Owns the open question "Why is this value so?", which asks about a value at a step. The answer stays open
 * while the visitor follows its links to other steps.
 */

import { computed, signal } from "../../vendor/ui.js";
import { replay } from "./store.js";

/** @import {ReadonlySignal, Signal} from "../../vendor/ui.js" */
/** @import {Question} from "../run/stops/why-address.js" */

/** @type {Signal<Question | null>} */
const question = signal(null);

/**
 * The open question; null if there is none, or if it is about another run than the shown one.
 * @type {ReadonlySignal<Question | null>}
 */
export const asked = computed(() =>
  question.value?.run === replay.value?.alone?.index.steps ? question.value : null,
);

/** @param {Question | null} next */
export function ask(next) {
  question.value = next;
}
