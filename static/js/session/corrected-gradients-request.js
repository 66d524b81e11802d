/**
 * Owns the request for corrected gradients: once per run, when a run with silently wrong gradients is shown.
 */

import { signal } from "../../vendor/ui.js";
import { correctedGradients } from "../io/api.js";

/** @import {Signal} from "../../vendor/ui.js" */
/** @import {CorrectedGradients} from "../run/trace.d.ts" */
/** @import {Index} from "../run/types.d.ts" */

/** @typedef {Signal<CorrectedGradients | null | undefined>} Answer null: pending; undefined: not requested */

/**
 * Keyed by what the indexes of one run share at every granularity.
 * @type {WeakMap<Index["by_granularity"], Answer>}
 */
const answers = new WeakMap();
/** @type {AbortController | null} */
let current = null;

/**
 * The corrected gradients of a run, as far as they are known.
 * @param {Index} index
 */
export function correctedGradientsOf(index) {
  return answerFor(index).value;
}

/**
 * @param {Index} index
 * @param {string | null} snippet id of the stored snippet, where there is one
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

/** Cancel the request: closing the connection cancels its runs on the server. */
export function cancelCorrectedGradients() {
  current?.abort();
  current = null;
}
