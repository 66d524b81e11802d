/**
 * Owns which value "Why is this value so?" asks about, and at which step. The answer stays while its links
 * lead through the run.
 */

import { computed, signal } from "../../vendor/ui.js";
import { replay } from "./store.js";

/** @import {ReadonlySignal, Signal} from "../../vendor/ui.js" */
/** @import {Question} from "../run/stops/why-address.js" */

/** @type {Signal<Question | null>} */
const question = signal(null);

/**
 * The question about the run that is shown.
 * @type {ReadonlySignal<Question | null>}
 */
export const asked = computed(() =>
  question.value?.run === replay.value?.alone?.index.steps ? question.value : null,
);

/** @param {Question | null} next */
export function ask(next) {
  question.value = next;
}
