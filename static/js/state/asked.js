/**
 * Owns the question "Why is this value so?": the value that it asks about, and the step. The answer stays
 * open while the visitor follows its links through the run.
 */

import { computed, signal } from "../../vendor/ui.js";
import { replay } from "./store.js";

/** @import {ReadonlySignal, Signal} from "../../vendor/ui.js" */
/** @import {Question} from "../run/stops/why-address.js" */

/** @type {Signal<Question | null>} */
const question = signal(null);

/**
 * The question, if it is about the shown run; otherwise null.
 * @type {ReadonlySignal<Question | null>}
 */
export const asked = computed(() =>
  question.value?.run === replay.value?.alone?.index.steps ? question.value : null,
);

/** @param {Question | null} next */
export function ask(next) {
  question.value = next;
}
