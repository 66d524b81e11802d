/**
 * Owns the way to those who tell a step. They come with those who lay out the graph, after the page: nobody
 * needs them before a run is there.
 */

/** @import {Index, Sentence, State} from "../run/types.d.ts" */

/** @type {typeof import("../words/steps/index.js") | null} */
let teller = null;

/** Load them; a run is shown once they are there. */
export async function loadStepSentences() {
  teller ??= await import("../words/steps/index.js");
}

/**
 * What happened in a step, in the order in which it is told.
 * @param {Index} index
 * @param {State} state
 * @param {State | null} before the state at the stop before
 * @returns {Sentence[]}
 */
export function stepSentences(index, state, before) {
  return teller?.storyOf(index, state, before) ?? [];
}
