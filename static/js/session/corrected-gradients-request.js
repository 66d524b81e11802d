/**
 * Owns what is known of the right gradients of each run: asked for once, when a run that was silently wrong
 * is on the page.
 */

import { signal } from "../../vendor/ui.js";
import { correctedGradients } from "../io/api.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {CorrectedGradients} from "../run/trace.d.ts" */
/** @import {Index} from "../run/types.d.ts" */

/**
 * @typedef {Signal<CorrectedGradients | null | undefined>} Answer null: it is on its way; undefined: nobody
 *   asked
 */

/**
 * by what a run keeps however it is walked
 * @type {WeakMap<Index["by_granularity"], Answer>}
 */
const answers = new WeakMap();
/** @type {AbortController | null} */
let current = null;

/**
 * What is known.
 * @param {Index} index
 */
export function correctedGradientsOf(index) {
  return answerFor(index).value;
}

/**
 * @param {Index} index
 * @param {string | null} snippet the link that shows it, if one does
 */
export async function requestCorrectedGradients(index, snippet) {
  cancelCorrectedGradients();
  const answer = answerFor(index);
  if (answer.peek() !== undefined) return;
  const controller = new AbortController();
  answer.value = null;
  current = controller;
  const unknown = /** @type {CorrectedGradients} */ ({ kind: "unknown", reason: "busy" });
  answer.value = await correctedGradients(
    index.source,
    index.header.stand_in ?? false,
    snippet,
    controller.signal,
  ).catch(() => unknown);
}

/** @param {Index} index */
function answerFor(index) {
  let answer = answers.get(index.by_granularity);
  if (answer === undefined) {
    answer = signal(/** @type {CorrectedGradients | null | undefined} */ (undefined));
    answers.set(index.by_granularity, answer);
  }
  return answer;
}

/** Nobody waits for it any more: hanging up cancels the runs that it takes. */
export function cancelCorrectedGradients() {
  current?.abort();
  current = null;
}
